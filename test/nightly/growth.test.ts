import { getOperationAST } from 'graphql';
import { expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { createSchema } from '../../src/resources/schema.ts';
import { createCostEstimate } from '../../src/limits/cost.ts';
import { DocumentReader } from '../../src/limits/document-reader.ts';
import { headerForm, isSensitive } from '../../src/resources/delivery-attempt.ts';
import { withoutKey } from '../../src/upstream/credential.ts';
import { readAccept } from '../../src/http/request/media-types.ts';
import { parseExactly } from '../../src/json.ts';
import { heavy, hostile } from '../limits/hostile.ts';

const config = readConfig({});
const schema = createSchema();
const reader = new DocumentReader(schema, config);
const estimate = createCostEstimate(schema, { scanPages: 60, lookUp: 'list' });

/** All that is done with a document before it runs. */
function judge(text: string): void {
  try {
    const document = reader.read(text);
    if (reader.errorsOf(document).length > 0) return;
    const operation = getOperationAST(document);
    if (operation != null) estimate(document, operation, {});
  } catch {
    // Refused.
  }
}

// The clock of a thread ticks every four milliseconds.
const leastMs = 16;

/** What this thread computes for it, in milliseconds: others on the machine take time, but none of this. */
function timeOf(act: () => unknown): number {
  const before = process.threadCpuUsage();
  for (let times = 1; ; times++) {
    act();
    const { user, system } = process.threadCpuUsage(before);
    const milliseconds = (user + system) / 1_000;
    if (milliseconds >= leastMs) return milliseconds / times;
  }
}

// Four times as much of what takes quadratic time takes sixteen times as long.
const margin = 2;
// What is over at once has no growth to speak of.
const floorMs = 2;

/** How much longer twice and four times the size take than they may: 1 is all that they may. */
function excessOf(prepare: (size: number) => () => unknown, size: number): number {
  const once = timeOf(prepare(size));
  return Math.max(...[2, 4].map((times) => timeOf(prepare(size * times)) / (times * margin * once + floorMs)));
}

/** The least excess of three: a compilation or a collection of garbage falls into a measurement now and then, and not into each. */
function leastExcess(prepare: (size: number) => () => unknown, size: number): number {
  let least = Infinity;
  for (let turn = 0; turn < 3 && least >= 1; turn++) least = Math.min(least, excessOf(prepare, size));
  return least;
}

test.for(Object.entries({ ...hostile, ...heavy }))(
  'a document takes time in proportion to its length: %s',
  ([, make]) => {
    for (const length of [3_000, 60_000])
      expect(
        leastExcess((size) => {
          const text = make(size);
          return () => judge(text);
        }, length),
      ).toBeLessThan(1);
  },
);

/** Long keys and texts in which a search by hand, and that of `indexOf`, would compare each with each. */
const keysAndTexts: Readonly<Record<string, (size: number) => readonly [key: string, text: string]>> = {
  'a…b…a in a…': (size) => [`${'a'.repeat(size)}b${'a'.repeat(size)}`, 'a'.repeat(64 * size)],
  'a…b in %a…': (size) => [`${'a'.repeat(size)}b`, `%${'a'.repeat(64 * size)}`],
  'ba… in a…': (size) => [`b${'a'.repeat(size)}`, 'a'.repeat(64 * size)],
  'a… in a…': (size) => ['a'.repeat(size), 'a'.repeat(64 * size)],
  'abab…c in abab…': (size) => [`${'ab'.repeat(size)}c`, 'ab'.repeat(32 * size)],
  'a…b in %61…': (size) => [`${'a'.repeat(size)}b`, '%61'.repeat(32 * size)],
  'a…b in %2561…': (size) => [`${'a'.repeat(size)}b`, '%2561'.repeat(16 * size)],
  '%…': (size) => [`${'a'.repeat(size)}b`, '%'.repeat(64 * size)],
  '%25…': (size) => ['25'.repeat(size), '%25'.repeat(32 * size)],
  '%2525…': (size) => [`${'25'.repeat(size)}41`, `%${'25'.repeat(64 * size)}`],
  '%2541… and a key that begins with 41': (size) => [`41${'A'.repeat(size)}b`, '%2541'.repeat(16 * size)],
  'hexadecimal of a…': (size) => [`${'a'.repeat(size)}b`, '61'.repeat(32 * size)],
  'base64 of a…': (size) => [`${'aaa'.repeat(size)}b`, 'YWFh'.repeat(16 * size)],
};

test.for(Object.entries(keysAndTexts))('a key is hidden in time in proportion to text and key: %s', ([, make]) => {
  expect(
    leastExcess((size) => {
      const [key, text] = make(size);
      return () => withoutKey(text, key);
    }, 512),
  ).toBeLessThan(1);
});

test.for([',', 'a/b,', '"', '"\\', ';', ' ', 'a/b;', 'a/b;"\\",', '\\"', 'a', '*/*;q=', ';a="'])(
  'an Accept header is read in time in proportion to its length: %s',
  (unit) => {
    for (const prefix of ['', 'a/b;', 'a/b;c="', 'application/json;q=0.5,'])
      expect(
        leastExcess((size) => {
          const text = (prefix + unit.repeat(size)).slice(0, size);
          return () => readAccept(text);
        }, 4_096),
      ).toBeLessThan(1);
  },
);

test.for(['x', '.', 'e', '1x'])(
  'a body of digits that is no JSON is refused in time in proportion to its length: …%s',
  (end) => {
    expect(
      leastExcess((size) => {
        const body = `{"price":1.50,"id":${'1'.repeat(size)}${end}}`;
        return () => expect(() => parseExactly(body)).toThrow(SyntaxError);
      }, 100_000),
    ).toBeLessThan(1);
  },
);

test.for<readonly [string, (size: number) => unknown]>([
  ['blanks', (size) => ' '.repeat(size)],
  ['blanks before a colon', (size) => `${' '.repeat(size)}:x`],
  ['a folded line', (size) => `A:${'\r\n '.repeat(size)}x`],
  ['a pair whose value is blank', (size) => ['A', '\n\t'.repeat(size)]],
  ['a pair whose name is blank', (size) => ['\t\u200B'.repeat(size), 'x']],
])('a header of a delivery attempt is read in time in proportion to its length: %s', ([, make]) => {
  expect(
    leastExcess((size) => {
      const sent = make(size);
      return () => {
        const header = headerForm.read(sent);
        return header !== undefined && isSensitive(header);
      };
    }, 100_000),
  ).toBeLessThan(1);
});
