import fc from 'fast-check';

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
  const runs = fc.array(run, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('').slice(0, most));
  return fc.oneof(
    { arbitrary: fc.constantFrom(...oddities), weight: 3 },
    { arbitrary: runs, weight: 4 },
    { arbitrary: fc.string({ unit: 'binary', maxLength: 12 }), weight: 1 },
  );
}

/** The same for a header: with other characters nothing behind it would be read. */
export function headerText(most: number): fc.Arbitrary<string> {
  return hostileText(most).map((text) => text.replace(/[^\t -~\u0080-\u00FF]/g, ''));
}

/** The same for the first line of a request. */
export function lineText(most: number): fc.Arbitrary<string> {
  return hostileText(most).map((text) => text.replace(/[^!-~\u0080-\u00FF]/g, ''));
}

/** A text that was good, with pieces left out, put in, put twice or in another case. */
export function damagedText(good: string): fc.Arbitrary<string> {
  const place = fc.nat({ max: good.length });
  const cut = fc.tuple(place, place).map(([one, other]) => good.slice(0, one) + good.slice(other));
  const patched = fc
    .tuple(place, fc.constantFrom(...units))
    .map(([at, unit]) => good.slice(0, at) + unit + good.slice(at + 1));
  return fc.oneof(fc.constant(good), cut, patched, fc.constantFrom(good.toUpperCase(), good + good, ` ${good} `));
}

const mostShown = 1_500;

/** A text as a report shows it: runs as their unit and a count, and no more than can be read. */
export function shortened(text: string): string {
  let shown = '';
  for (let at = 0; at < text.length && shown.length < mostShown;) {
    const { unit, count } = runAt(text, at);
    shown += count * unit.length > 24 ? `⟨${unit}×${count}⟩` : unit.repeat(count);
    at += unit.length * count;
  }
  return shown.length < mostShown ? shown : `${shown} … (${text.length} characters)`;
}

function runAt(text: string, at: number): { readonly unit: string; readonly count: number } {
  let best = { unit: text[at] ?? '', count: 1 };
  for (let length = 1; length <= 12 && at + length <= text.length; length++) {
    const unit = text.slice(at, at + length);
    let count = 1;
    while (text.startsWith(unit, at + count * length)) count++;
    if (count * length > 24 && count * length > best.count * best.unit.length) best = { unit, count };
  }
  return best;
}
