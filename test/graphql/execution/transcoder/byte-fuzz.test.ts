import { afterEach, expect, test } from 'vitest';
import { resultAt, theMachine, type Machine } from '../../../../src/graphql/execution/transcoder/memory.ts';
import { absences, kinds, type ObjectShape } from '../../../../src/graphql/execution/transcoder/layout.ts';
import { TableWriter } from '../../../../src/graphql/execution/transcoder/tables.ts';
import { createSchema } from '../../../../src/resources/schema.ts';
import { readTypeDefs } from '../../../../src/graphql/schema/type-defs.ts';
import { fuzzBytes } from './byte-fuzzer.ts';

// BYTE_FUZZ_SEED repeats a run, BYTE_FUZZ makes a longer one.
const seed = process.env['BYTE_FUZZ_SEED'] ?? String(Date.now());
const runs = Number(process.env['BYTE_FUZZ'] ?? 5_000);
const mostRunsToFind = 20_000;
const schema = createSchema(readTypeDefs());

test(
  `whatever is done to the bytes of a body, they show what its values show, or nothing (BYTE_FUZZ_SEED=${seed})`,
  { timeout: 60_000 + runs * 60 },
  async () => {
    const { bytes, givenUp, faults } = await fuzzBytes(schema, { seed, runs });
    // Figures to look at.
    console.log(`${runs} bodies: ${bytes} shown by bytes, ${givenUp} given up, ${faults.length} faults`);
    expect(faults).toEqual([]);
    // A run in which bytes give up all the time would prove little.
    expect(bytes / runs).toBeGreaterThan(0.05);
  },
);

const { transcode } = theMachine();
const original = Object.fromEntries(
  (['leaf', 'object'] as const).map((name) => [name, TableWriter.prototype[name]]),
) as Pick<TableWriter, 'leaf' | 'object'>;

/** A transcoder that takes more than it should, as one would from which a check was lost. */
function withLeaf(from: number, to: number): () => void {
  return () => {
    Object.assign(TableWriter.prototype, {
      leaf(this: TableWriter, kind: number) {
        return original.leaf.call(this, kind === from ? to : kind);
      },
    });
  };
}

function withTranscode(run: Machine['transcode']): () => void {
  return () => void Object.assign(theMachine(), { transcode: run });
}

const shownLength = resultAt / 4 + 1;

const faults: Readonly<Record<string, () => void>> = {
  'an integer of any size passes': withLeaf(kinds.integer, kinds.any),
  'a boolean may be anything': withLeaf(kinds.boolean, kinds.any),
  'a date may be any text': withLeaf(kinds.date, kinds.text),
  'a date-time may be any text': withLeaf(kinds.dateTime, kinds.text),
  'a decimal may be any text': withLeaf(kinds.decimal, kinds.text),
  'a text may be anything': withLeaf(kinds.text, kinds.any),
  'a free-form value may be anything': withLeaf(kinds.freeForm, kinds.any),
  'what must be there may be missing': () => {
    Object.assign(TableWriter.prototype, {
      object(this: TableWriter, shape: ObjectShape) {
        const entries = shape.entries.map((entry) => ({ ...entry, absence: absences.null }));
        return original.object.call(this, { ...shape, entries });
      },
    });
  },
  'what was given up is shown': withTranscode((length, firstRow, most) => {
    transcode(length, firstRow, most);
    return 1;
  }),
  'the end of a body is not read': withTranscode((length, firstRow, most) => transcode(length - 1, firstRow, most) | 1),
  'a byte too many is shown': withTranscode((length, firstRow, most) => {
    const told = transcode(length, firstRow, most);
    const { words } = theMachine();
    words[shownLength] = (words[shownLength] ?? 0) + 1;
    return told;
  }),
};

afterEach(() => {
  Object.assign(TableWriter.prototype, original);
  Object.assign(theMachine(), { transcode });
});

test.for(Object.entries(faults))('the fuzzer finds the planted fault: %s', { timeout: 120_000 }, async ([, plant]) => {
  plant();
  const report = await fuzzBytes(schema, { seed, runs: mostRunsToFind, mostFaults: 1 });
  expect(report.faults).toHaveLength(1);
});
