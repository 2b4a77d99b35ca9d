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

/** How often a unit stands in a text; around the bounds that are promised, and far beyond. */
const counts = [0, 1, 1, 1, 2, 3, 8, 31, 33, 127, 129, 199, 201, 1_000, 4_095, 4_096, 4_097, 10_000, 60_000, 300_000];

/** Whole texts that are odd by themselves. */
const oddities: readonly string[] = [
  '',
  ...'null undefined NaN true 0 -0 1e400 [] {} __proto__ constructor toString \uFEFF \uD83E'.split(' '),
  ...'2026-10-01 2026-02-30 2026-13-01 9999-12-31 0000-00-00 +275760-09-13 2026-10-01T00:00:00Z'.split(' '),
  ...'2026-10-01T24:00:00Z 2026-10-01T00:00:60Z 2026-10-01T00:00:00+99:99 9999-12-31T23:59:59.999999999999Z'.split(' '),
  ...'00000000-0000-4000-8000-000000000001 https://hooks.example.com/a 1293384261075731499'.split(' '),
];

/** Texts that are long, odd or both, of at most so many characters. */
export function hostileText(most: number): fc.Arbitrary<string> {
  const run = fc
    .tuple(fc.constantFrom(...units), fc.constantFrom(...counts.filter((count) => count <= most)))
    .map(([unit, count]) => unit.repeat(Math.min(count, Math.floor(most / unit.length))));
  const repeated = fc.array(run, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('').slice(0, most));
  return fc.oneof(
    { arbitrary: fc.constantFrom(...oddities), weight: 3 },
    { arbitrary: repeated, weight: 4 },
    { arbitrary: fc.string({ unit: 'binary', maxLength: 12 }), weight: 1 },
  );
}
