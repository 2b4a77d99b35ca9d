import { parse, validate } from 'graphql';
import { beforeAll, expect, test } from 'vitest';
import { createSchema } from '../../../src/resources/schema.ts';
import { readTypeDefs } from '../../../src/graphql/schema/type-defs.ts';
import { Random } from '../../../src/sandbox/random.ts';
import type { Harvest } from '../random-document/argument.ts';
import { randomRequest } from '../random-document/document.ts';
import { createTwoWays, inAnyOrder, type Question, type Took } from './two-ways.ts';
import { createWorld, idOf } from './world.ts';
import { runs } from '../../support/runs.ts';

// SAMENESS_SEED repeats a run, SAMENESS_OPERATIONS makes a longer one, SAMENESS_ONLY runs one operation of it.
const seed = process.env['SAMENESS_SEED'] ?? String(Date.now());
const count = Number(process.env['SAMENESS_OPERATIONS'] ?? runs(1_500));
const only = process.env['SAMENESS_ONLY'];
const worldCount = 40;
// No plan covers them: one in ten such operations is enough.
const neverCompiled = /\b(?:__schema|__type|_service|_entities)\b/;

const schema = createSchema(readTypeDefs());
const { compiled, general } = createTwoWays(schema);
const worlds = Array.from({ length: worldCount }, (_, index) => createWorld(`${seed} world ${index}`));
const harvest: Harvest = { cursors: [], nodeIds: [], ids: Array.from({ length: 8 }, (_, index) => idOf(index)) };

beforeAll(async () => {
  const lists = ['ipConnections', 'missions', 'webhookDeliveries'];
  const query = `{ ${lists.map((name) => `${name} { edges { cursor node { nodeId } } }`).join(' ')} }`;
  for (const world of worlds) {
    const { data = '' } = await general({ document: parse(query), variables: null, world });
    for (const [, name, value = ''] of data.matchAll(/"(cursor|nodeId)":"([^"]*)"/g))
      (name === 'cursor' ? harvest.cursors : harvest.nodeIds).push(value);
  }
  const some = new Random(seed);
  for (const list of [harvest.cursors, harvest.nodeIds])
    list.splice(0, list.length, ...Array.from({ length: 20 }, () => some.pick(list)));
});

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

test(
  `random operations have one answer, by their plans and by graphql-js (SAMENESS_SEED=${seed})`,
  { timeout: 60_000 + count * 60 },
  async () => {
    const tally: Record<Took | 'invalid', number> = { bytes: 0, compiled: 0, 'handed over': 0, general: 0, invalid: 0 };
    const faults: unknown[] = [];
    let reordered = 0;
    const numbers = only === undefined ? Array.from({ length: count }, (_, index) => index) : [Number(only)];
    for (const number of numbers) {
      const random = new Random(`${seed} ${number}`);
      const first = randomRequest(schema, random, harvest, 0);
      const { query, variables } = neverCompiled.test(first.query) ? randomRequest(schema, random, harvest, 0) : first;
      const document = parse(query);
      if (validate(schema, document).length > 0) {
        tally.invalid++;
        continue;
      }
      const question: Question = {
        document,
        variables,
        world: random.pick(worlds),
        exposeSecrets: random.chance(0.5),
        lookUp: random.pick(['list', 'list', 'retrieve']),
        ...(random.chance(0.02) && { key: null }),
      };
      const { took, ...told } = await compiled(question);
      const expected = await general(question);
      tally[took]++;
      if (!isSame(told.errors, expected.errors)) reordered++;
      // A list that contradicts itself is read again by whoever meets it; who hands over may meet it once more.
      const compared = (one: typeof told) =>
        inAnyOrder(took === 'handed over' ? { ...one, calls: [...new Set(one.calls)] } : one);
      if (!isSame(compared(told), compared(expected))) faults.push({ number, took, query, variables, told, expected });
    }
    // Figures to look at.
    console.log(
      `${numbers.length} operations: ${JSON.stringify(tally)}, ${faults.length} with two answers, ${reordered} with errors in another order`,
    );
    expect(faults.slice(0, 3)).toEqual([]);
    if (only !== undefined) return;
    expect(tally.invalid / count).toBeLessThan(0.05);
    // A run in which graphql-js answers twice would prove little.
    expect(tally.compiled / count).toBeGreaterThan(0.6);
    expect(tally['handed over']).toBeGreaterThan(0);
    expect(tally.general).toBeGreaterThan(0);
  },
);
