import { afterAll, beforeAll, expect, test } from 'vitest';
import { errorsPerResponse } from '../../../src/bounds.ts';
import { places } from './long-place.ts';
import { startGatewayProcess, type GatewayProcess } from './gateway-process.ts';

// What one request of an unauthenticated client costs, as the gateway's process says it.
let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess({ env: { EXPLORER: 'true' } });
});
afterAll(() => gateway[Symbol.asyncDispose]());

const mostBytes = 262_144;
// The clock of a thread ticks every four milliseconds, and a collection of garbage falls into a request now and then.
const noiseMs = 20;
// Of the largest request; a machine that is busy takes longer for all of it.
const mostMs = 200;
// Four times as much of what takes quadratic time takes sixteen times as long.
const margin = 2;

/** Sends a request and checks its response; resolves to what it has cost in milliseconds of processor time. */
async function costOf(name: string, scale: number, unit: string, key: string | null): Promise<number> {
  const { target, headers, body } = places[name]!((bytes) => unit.repeat(bytes / unit.length), scale);
  const { computedMs: before } = await gateway.glance();
  const response = await fetch(gateway.url + target, {
    method: body === null ? 'GET' : 'POST',
    headers: [...headers, ...(key === null ? [] : [['authorization', `Bearer ${key}`] as const])].map(
      ([header, value]) => [header, value.trim()] as [string, string],
    ),
    ...(body !== null && { body: body.toString() }),
  });
  const text = await response.text();
  const { computedMs } = await gateway.glance();
  expect(response.status).toBeLessThan(500);
  expect(text.length).toBeLessThan(mostBytes);
  expect(text.match(/"requestId"/g)?.length ?? 0).toBeLessThanOrEqual(errorsPerResponse);
  return computedMs - before;
}

/** The least of some, as soon as it is little enough. */
async function leastOf(cost: () => Promise<number>, most: number): Promise<number> {
  let least = Infinity;
  for (let time = 0; time < 3 && least > most; time++) least = Math.min(least, await cost());
  return least;
}

// A key that the texts below repeat: a search of each in each would take long.
const periodic = `${'a'.repeat(2_000)}b${'a'.repeat(2_000)}`;
const texts = ['a quoted variable', 'a quoted literal', 'an operation name', 'a comment', 'a date', 'an id'];
const cases: readonly (readonly [place: string, unit: string, key: string | null])[] = [
  ...Object.keys(places).map((place) => [place, 'a', null] as const),
  ...texts.flatMap((place) => ['%61', '%25'].map((unit) => [place, unit, periodic] as const)),
];

test.for(cases)(
  'a request costs at most in proportion to its length, and makes no call: %s of "%s"',
  async ([place, unit, key]) => {
    const { length: calls } = gateway.upstream.requests;
    const once = await leastOf(() => costOf(place, 1, unit, key), noiseMs);
    const most = Math.min(mostMs, 4 * margin * Math.max(once, noiseMs));
    const fourTimes = await leastOf(() => costOf(place, 4, unit, key), most);
    dearest.set(`${place} of "${unit}"`, fourTimes);
    expect(fourTimes).toBeLessThanOrEqual(most);
    expect(gateway.upstream.requests).toHaveLength(calls);
  },
);

const dearest = new Map<string, number>();
test('the good caller is served behind all of them', async () => {
  expect(await gateway.askAsGoodCaller()).toBeNull();
  expect(await gateway.metric('switchboard_unhandled_total')).toBe(0);
  expect(gateway.ended).toBeNull();
  const [first = []] = [...dearest].sort(([, one], [, other]) => other - one);
  // A figure to look at.
  console.log(`The dearest request is that with ${first.join(': ')} ms.`);
});
