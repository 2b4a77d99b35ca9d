import { parse } from 'graphql';
import { expect, test } from 'vitest';
import { createSchema } from '../../../src/resources/schema.ts';
import { readTypeDefs } from '../../../src/graphql/schema/type-defs.ts';
import { Random } from '../../../src/sandbox/random.ts';
import * as records from '../../support/records.ts';
import { placesIn, selectionOf, withValue, type Path } from '../../support/selection.ts';
import { createTwoWays, type Question } from '../plan/two-ways.ts';
import { borderTexts, oddValues } from './odd-json.ts';
import { runs } from '../../support/runs.ts';

// BYTES_SHARE=1 puts every value in every place.
const share = Number(process.env['BYTES_SHARE'] ?? runs(0.03));
const seed = process.env['BYTES_SEED'] ?? String(Date.now());
const { written, compiled } = createTwoWays(createSchema(readTypeDefs()));

const dates = '(startDate: "2026-10-01", endDate: "2026-10-31")';
// The one secret is for plans.
const plainSelectionOf = (record: records.JsonRecord): string =>
  selectionOf(record).replace('ipAuthenticationToken', '');

const cursors = 'totalCount pageInfo { startCursor endCursor hasNextPage }';
const listOf = (name: string, type: string, record: records.JsonRecord): string =>
  `{ ${name}(first: 2) { nodes { nodeId ...on ${type} ${plainSelectionOf(record)} } ${cursors} } }`;

const connection = records.ipConnectionRecord();
const mission = records.missionRecord();
const delivery = records.webhookDeliveryRecord();
const summary = records.chargesSummaryRecord();
// Its numbers are for plans.
const { results: _results, ...report } = records.chargesBreakdownRecord();
const subjects = [
  { name: 'a connection', record: connection, query: listOf('ipConnections', 'IpConnection', connection) },
  { name: 'a mission', record: mission, query: listOf('missions', 'Mission', mission) },
  { name: 'a delivery', record: delivery, query: listOf('webhookDeliveries', 'WebhookDelivery', delivery) },
  { name: 'a summary', record: summary, query: `{ chargesSummary${dates} ${selectionOf(summary)} }` },
  { name: 'a report', record: report, query: `{ chargesBreakdown${dates} ${selectionOf(report)} }` },
];

const mark = '@@';

/** The record as JSON, with what stands in one place written in another way. */
function textWith(record: records.JsonRecord, path: Path, write: (name: string, own: string) => string): string {
  const own = JSON.stringify(path.reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], record));
  const name = path.at(-1);
  const before = typeof name === 'string' ? `${JSON.stringify(name)}:` : '';
  const [head = '', tail = ''] = JSON.stringify(withValue(record, path, mark)).split(`${before}"${mark}"`);
  return head + write(before, own) + tail;
}

/** The ways in which a place may be odd. */
function waysFor(path: Path, odd: string): readonly ((name: string, own: string) => string)[] {
  const instead = (name: string): string => name + odd;
  if (typeof path.at(-1) !== 'string') return [instead];
  const escaped = (name: string): string =>
    name.replace(/"(.)/, (_match, letter: string) => `"\\u00${letter.charCodeAt(0).toString(16)}`);
  return [
    instead,
    (name, own) => `${name}${own},${name}${odd}`,
    (name, own) => `${name}${odd},${name}${own}`,
    (name, own) => `${escaped(name)}${own}`,
    (name, own) => `${name}${own},${escaped(name)}${odd}`,
    (name, own) => `${name} ${own} , "other" : ${odd}`,
  ];
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

test.for(subjects)(
  `whatever stands in any place of $name, bytes show what plans show (BYTES_SEED=${seed})`,
  { timeout: 600_000 },
  async ({ record, query }) => {
    const document = parse(query);
    const random = new Random(`${seed} ${query}`);
    const bodyOf = (text: string): string =>
      query.startsWith('{ charges')
        ? `{"data":${text}}`
        : `{"data":[${text},${JSON.stringify(record)}],"meta":{"total_results":2,"page_size":2,"page_number":1,"total_pages":1}}`;
    const tally = { bytes: 0, others: 0 };
    const faults: unknown[] = [];

    async function compare(text: string, exposeSecrets = random.chance(0.2)): Promise<void> {
      const body = Buffer.from(bodyOf(text));
      const question: Question = {
        document,
        variables: null,
        exposeSecrets,
        world: { answer: () => ({ status: 200, headers: {}, body }) },
      };
      const { took, ...told } = await written(question);
      tally[took === 'bytes' ? 'bytes' : 'others']++;
      const { took: _took, ...expected } = await compiled(question);
      if (took === 'bytes' && !isSame(told, expected)) faults.push({ text, told, expected });
    }

    // Where secrets are exposed, plans write what may hold some.
    await compare(JSON.stringify(record), false);
    expect(tally.bytes).toBe(1);
    for (const path of placesIn(record)) {
      // What is read in a way of its own is in few places.
      const shareHere = path.some((name) => ['headers', 'payload', 'metadata'].includes(String(name))) ? 1 : share;
      for (const odd of oddValues)
        for (const write of waysFor(path, odd))
          if (random.chance(shareHere)) await compare(textWith(record, path, write));
      for (const text of borderTexts)
        if (random.chance(share)) await compare(textWith(record, path, (name) => name + text));
    }
    // Figures to look at.
    console.log(`${JSON.stringify(tally)}, ${faults.length} with two answers`);
    expect(faults.slice(0, 2)).toEqual([]);
  },
);
