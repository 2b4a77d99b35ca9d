import { expect, test } from 'vitest';
import { GatewayError } from '../../../src/errors.ts';
import type { CallingOperation } from '../../../src/upstream/call.ts';
import { StagedClient } from '../../../src/upstream/client.ts';
import { callerIdentityOf } from '../../../src/upstream/credential.ts';
import { UnansweredError } from '../../../src/upstream/response/wire-response.ts';
import { breakCircuit } from '../../../src/upstream/stages/breaker.ts';
import { limitConcurrency } from '../../../src/upstream/stages/bulkhead.ts';
import { RateLimits } from '../../../src/upstream/stages/rate-limit.ts';
import { retry } from '../../../src/upstream/stages/retry.ts';
import { Random } from '../../../src/sandbox/random.ts';
import { callerOf, createScriptedTransport, everybodyKnown, get, thing, type WireCall } from '../client-harness.ts';
import { runs, seed } from '../../support/runs.ts';

const tenants = 20;
const [sick, hasty, flooding] = ['tenant-0', 'tenant-1', 'tenant-2'];
// Calls until the tenant changes who asks for most.
const turn = 1_000;

/** The calls that a tenant may make in a window: each has a number of its own. */
const limitOf = (key: string): number => 100 + Number(key.split('-')[1]);

/**
 * Has twenty tenants ask for the same things at random, through all stages, while calls are answered, fail, are left and
 * overtake each other. One tenant has a sick account, one is rate-limited all the time, one floods the queue; of the others
 * nothing is refused unless callers are mixed up. Every row bears the name of the tenant whose key it was asked with.
 */
async function mixTenants(atLeast: number) {
  const drawn = new Random(seed);
  const random = (): number => drawn.int(0, 9_999) / 10_000;
  const pick = (count: number): number => drawn.int(0, count - 1);
  const transport = createScriptedTransport();
  let time = 0;
  const now = (): number => time;
  const rateLimits = new RateLimits({ known: everybodyKnown, now }).respect;
  const client = new StagedClient(transport, [
    retry({ upstreamRetries: 2, random: () => 0 }),
    rateLimits,
    breakCircuit({ upstreamBreakerOpenMs: 1_000, known: everybodyKnown, now }),
    limitConcurrency(
      { upstreamMaxConcurrency: 16, upstreamQueueSize: 200, upstreamQueueTimeoutMs: 600_000 },
      everybodyKnown,
    ),
    rateLimits,
  ]);
  const outcomes: Record<string, number> = {};
  const underWay = new Set<{ readonly leave: () => void }>();
  let calls = 0;
  const isFlooding = (): boolean => Math.floor(calls / turn) % 2 === 0;
  let limits = 0;
  // Rows of another tenant, rate limits that were told of another's key, and refusals that nobody has earned.
  const foreign = { rows: 0, limits: 0, refusals: 0 };

  function note(key: string, outcome: string): void {
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    if (outcome === 'foreign row') foreign.rows++;
    if (outcome.endsWith('row') || outcome === 'left' || [sick, hasty, flooding].includes(key)) return;
    foreign.refusals++;
  }

  function begin(): void {
    // By turns, one tenant asks for most of it: the flooding one always for something else, the sick one in vain.
    const isFlood = isFlooding() && random() < 0.6;
    const isSick = !isFlooding() && random() < 0.75;
    const key = (isFlood && flooding) || (isSick && sick) || `tenant-${pick(tenants)}`;
    const leaving = new AbortController();
    const visit = { leave: () => leaving.abort(new Error('gone')) };
    const operation: CallingOperation = { bytesRead: 0, rateLimit: null, hold: () => {} };
    const caller = callerOf(key, { identity: callerIdentityOf(key), signal: leaving.signal, operation });
    calls++;
    underWay.add(visit);
    get(client, thing(isFlood || isSick ? calls : `shared ${pick(5)}`), caller)
      .then(
        (row) => note(key, row.data === key ? 'row' : 'foreign row'),
        (error: unknown) => note(key, error instanceof GatewayError ? error.code : 'left'),
      )
      .finally(() => {
        underWay.delete(visit);
        if (operation.rateLimit === null) return;
        limits++;
        if (operation.rateLimit.limit !== limitOf(key)) foreign.limits++;
      });
  }

  function decide({ key, answer, fail }: WireCall): void {
    if (key === sick && random() < 0.9) {
      if (random() < 0.5) fail(new UnansweredError('UPSTREAM_UNAVAILABLE'));
      else answer(random() < 0.5 ? 500 : 503);
    } else if (key === hasty && random() < 0.5) {
      const isFull = random() < 0.5;
      const used = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '5' };
      answer(isFull ? 429 : 200, { data: key }, { ...used, 'x-ratelimit-limit': String(limitOf(key)) });
    } else {
      answer(200, { data: key }, { ratelimit: '"own";r=9', 'ratelimit-policy': `"own";q=${limitOf(key)}` });
    }
  }

  function oneOf<T>(set: ReadonlySet<T>, act: (one: T) => void): void {
    const [one] = set
      .values()
      .drop(pick(Math.max(1, set.size)))
      .take(1);
    if (one !== undefined) act(one);
  }

  while (calls < atLeast) {
    time += 20 * random();
    const chance = random();
    if (chance < (isFlooding() ? 0.7 : 0.4)) begin();
    else if (chance < 0.95) oneOf(transport.pending, decide);
    else oneOf(underWay, ({ leave }) => leave());
    // Now and then all that has been decided takes effect, and timers run; in between, things happen at once.
    if (random() < 0.5) await new Promise((resolve) => setImmediate(resolve));
  }
  while (underWay.size > 0) {
    for (const call of transport.pending) decide(call);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { calls, sent: transport.paths.length, outcomes, limits, foreign };
}

test('twenty tenants with equal queries get their own rows, failures and rate limits alone, over 6,000 calls', async () => {
  const { calls, sent, outcomes, limits, foreign } = await mixTenants(runs(6_000));
  expect(calls).toBe(runs(6_000));
  expect(foreign).toEqual({ rows: 0, limits: 0, refusals: 0 });
  expect(limits).toBeGreaterThan(600);
  // Everything has happened: calls were shared, made again, limited, broken, refused by the queue, and left.
  expect(sent).toBeLessThan(calls);
  for (const outcome of ['row', 'left', 'RATE_LIMITED', 'UPSTREAM_UNAVAILABLE', 'UPSTREAM_ERROR'])
    expect(outcomes[outcome]).toBeGreaterThan(6);
});
