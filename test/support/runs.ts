import fc from 'fast-check';

const times = Number(process.env['RUNS'] ?? 1);

/** How many random runs a test makes: so many in the gate, and so many times as many with `RUNS=100`. */
export function runs(count: number): number {
  return Math.ceil(count * times);
}

/** The seed of random runs: one that is written down, or that of `SEED=…`. A test has it in its name. */
export const seed = process.env['SEED'] ?? '1';

// Loaded before each file of tests: all that fast-check makes up is the same each time, but for a run with another `SEED`.
fc.configureGlobal({ seed: Number(seed) });

/** The units of hostile texts: characters that some reader, writer or pattern treats specially. */
export const units: readonly string[] = [
  'a',
  ...'b ab 0 9 , ; : = & ? # / ../ . * + - ~ % %a %61 %25 %00 %E2%82 &amp; <b> " \' ` ${a} $a'.split(' '),
  ...'{ } [ ] ( ) {a [[ "" @a ! | ^ \\ \\" \\u0061 \\ud800 __proto__ constructor null 1e9 -1'.split(' '),
  ...'é ß İ € 漢 🤖 \uD800 \uDC00 a\u0301 \u200D \u202E \uFEFF \u0085 \u2028 \0 \u007F'.split(' '),
  ' ',
  '\t',
  '\n',
  '\r\n',
];
