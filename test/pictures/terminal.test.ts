import fc from 'fast-check';
import { expect, test } from 'vitest';
import { writeTerminal, type TerminalLine } from './terminal.ts';

const words = { title: 'A <title> & more', description: 'What it shows' };
const lineArbitrary: fc.Arbitrary<TerminalLine> = fc.record({
  kind: fc.constantFrom('comment', 'command', 'output', 'quiet', 'error'),
  text: fc.string({ maxLength: 100 }),
  pauseMs: fc.nat({ max: 5_000 }),
});

/** The texts of the SVG as a reader sees them, and when each appears, as a share of the whole in percent. */
function readTerminal(svg: string): readonly (readonly [text: string, percent: number])[] {
  return [...svg.matchAll(/<text class="([^"]*)"[^>]*>([^<]*)<\/text>/g)].map(([, classes = '', text = '']) => {
    const [, moment] = / (at\d+)$/.exec(classes) ?? [];
    const [, percent = 0] = new RegExp(`@keyframes ${moment} \\{ 0% \\{ opacity: 0 \\} ([\\d.]+)%`).exec(svg) ?? [];
    return [text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&'), Number(percent)];
  });
}

test('a terminal shows every line as it is, each no sooner than the one before', () => {
  fc.assert(
    fc.property(fc.array(lineArbitrary, { minLength: 1, maxLength: 30 }), (lines) => {
      const shown = readTerminal(writeTerminal(lines, { ...words, isStill: false }));
      expect(shown.map(([text]) => text)).toEqual(lines.map(({ text }) => text));
      const percents = shown.map(([, percent]) => percent);
      expect(percents).toEqual(percents.toSorted((a, b) => a - b));
      expect(Math.max(...percents)).toBeLessThan(100);
    }),
  );
});

test('a terminal that stands still shows all lines at once', () => {
  fc.assert(
    fc.property(fc.array(lineArbitrary, { minLength: 1, maxLength: 10 }), (lines) => {
      const svg = writeTerminal(lines, { ...words, isStill: true });
      expect(svg).not.toMatch(/animation|@keyframes/);
      expect(readTerminal(svg).map(([text]) => text)).toEqual(lines.map(({ text }) => text));
    }),
  );
});

test('a terminal has a name and a description for those who cannot see it', () => {
  const svg = writeTerminal([], { ...words, isStill: true });
  expect(svg).toContain('<title id="title">A &lt;title&gt; &amp; more</title>');
  expect(svg).toContain('<desc id="description">What it shows</desc>');
});
