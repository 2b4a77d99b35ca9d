import { afterEach, expect, test } from 'vitest';
import { createSchema } from '../../../src/resources/schema.ts';
import { leaves, type Leaf } from '../../../src/graphql/schema/scalars.ts';
import { readTypeDefs } from '../../../src/graphql/schema/type-defs.ts';
import { machine, places } from '../../../src/transcoder/transcoder.ts';
import { fuzzBytes } from './byte-fuzzer.ts';
import { runs } from '../../support/runs.ts';

// BYTE_FUZZ_SEED repeats a run, BYTE_FUZZ makes a longer one.
const seed = process.env['BYTE_FUZZ_SEED'] ?? String(Date.now());
const count = Number(process.env['BYTE_FUZZ'] ?? runs(1_000));
const mostRunsToFind = 20_000;
const schema = createSchema(readTypeDefs());

test(
  `whatever is done to the bytes of a body, they show what its values show, or nothing (BYTE_FUZZ_SEED=${seed})`,
  { timeout: 60_000 + count * 60 },
  async () => {
    const { bytes, givenUp, faults } = await fuzzBytes(schema, { seed, runs: count });
    // Figures to look at.
    console.log(`${count} bodies: ${bytes} shown by bytes, ${givenUp} given up, ${faults.length} faults`);
    expect(faults).toEqual([]);
    // A run in which bytes give up all the time would prove little.
    expect(bytes / count).toBeGreaterThan(0.05);
  },
);

const { transcode } = machine;
const takes = new Map(Object.values(leaves).map((leaf) => [leaf, leaf.takes]));

/** A transcoder that takes more than it should, as one would from which a check was lost. */
function taking(scalar: string, taken: Leaf['takes']): () => void {
  return () => void Object.assign(leaves[scalar] as Leaf, { takes: taken });
}

function withTranscode(run: typeof transcode): () => void {
  return () => void (machine.transcode = run);
}

const shownLength = places.result / 4;

const faults: Readonly<Record<string, () => void>> = {
  'a date may be any text': taking('Date', 'text'),
  'a date-time may be any text': taking('DateTime', 'text'),
  'a date-time may have letters': taking('DateTime', /^[\dTZ:.,+a-]+$/i),
  'a decimal may be any text': taking('Decimal', 'text'),
  'a byte too many is shown': withTranscode((length) => {
    const told = transcode(length);
    machine.words[shownLength] = (machine.words[shownLength] ?? 0) + 1;
    return told;
  }),
};

afterEach(() => {
  for (const [leaf, taken] of takes) Object.assign(leaf, { takes: taken });
  machine.transcode = transcode;
});

test.for(Object.entries(faults))('the fuzzer finds the planted fault: %s', { timeout: 120_000 }, async ([, plant]) => {
  plant();
  const report = await fuzzBytes(schema, { seed, runs: mostRunsToFind, mostFaults: 1 });
  expect(report.faults).toHaveLength(1);
});
