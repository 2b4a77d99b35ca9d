import { getOperationAST } from 'graphql';
import { expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { createSchema } from '../../src/resources/schema.ts';
import { readTypeDefs } from '../../src/graphql/schema/type-defs.ts';
import { createCostEstimate } from '../../src/limits/cost.ts';
import { refusalOf } from '../../src/limits/document-limits.ts';
import { readDocument } from '../../src/limits/document-text.ts';
import { validateDocument } from '../../src/limits/validation.ts';
import { heavy, hostile } from '../limits/hostile.ts';

const config = readConfig({});
const limits = {
  tokens: config.limitTokens,
  depth: config.limitDepth,
  aliases: config.limitAliases,
  rootFields: config.limitRootFields,
};
const schema = createSchema(readTypeDefs());
const estimate = createCostEstimate(schema, { scanPages: 60, lookUp: 'list' });

/** All that is done with a document before it runs. */
function judge(text: string): void {
  try {
    const document = readDocument(text, limits);
    if (refusalOf(document, schema, limits) !== null || validateDocument(schema, document).length > 0) return;
    const operation = getOperationAST(document);
    if (operation != null) estimate(document, operation, {});
  } catch {
    // Refused.
  }
}

// The clock of a thread ticks every four milliseconds.
const leastMs = 16;

/** Of this thread, in milliseconds: others on the machine take time, but none of this. */
function timeOf(text: string): number {
  const before = process.threadCpuUsage();
  for (let runs = 1; ; runs++) {
    judge(text);
    const { user, system } = process.threadCpuUsage(before);
    const milliseconds = (user + system) / 1_000;
    if (milliseconds >= leastMs) return milliseconds / runs;
  }
}

// Four times as much of what takes quadratic time takes sixteen times as long.
const margin = 2;
// What is over at once has no growth to speak of.
const floorMs = 2;
const lengths = [3_000, 60_000] as const;

/** How much longer twice and four times the length take than they may: 1 is all that they may. */
function excessOf(make: (length: number) => string, length: number): number {
  const once = timeOf(make(length));
  return Math.max(...[2, 4].map((times) => timeOf(make(length * times)) / (times * margin * once + floorMs)));
}

test.for(Object.entries({ ...hostile, ...heavy }))('%s: time grows with length and no faster', ([, make]) => {
  for (const length of lengths) {
    let excess = Number.POSITIVE_INFINITY;
    // A compilation or a collection of garbage falls into a measurement now and then, and not into three.
    for (let turn = 0; turn < 3 && excess >= 1; turn++) excess = excessOf(make, length);
    expect(excess).toBeLessThan(1);
  }
});
