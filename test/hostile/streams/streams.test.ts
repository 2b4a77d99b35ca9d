import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { seedOf } from '../../attack/seed.ts';
import { runs } from '../../support/runs.ts';
import { runCase, type StreamCase, type Verdict } from './case.ts';

const mebibyte = 2 ** 20;
const bufferMiB = 16;
const env = { SUBSCRIPTION_BUFFER_BYTES: String(bufferMiB * mebibyte) };
const patient = { timeout: 240_000 };

/**
 * Of the main thread's processor time. A slice takes four of them; a collection of garbage, and reading the burst itself, take more, but
 * never most of what the streams cost together.
 */
const mostHoldMs = ({ busyMs }: Verdict): number => Math.max(50, busyMs / 4);
/** What a stream takes, what may wait, and garbage that has not been collected. */
const mostGrownBytes = ({ streams }: StreamCase): number => (streams / 16 + bufferMiB + 64) * mebibyte;

/** The promises that a case has broken. */
function broken(one: StreamCase, verdict: Verdict): readonly string[] {
  const { streams, burst, bursts, isAlike, reading } = one;
  const events = burst * bursts;
  const isRead = reading === 'all' || reading === 'some stop';
  const faults: readonly (readonly [isBroken: boolean, promise: string])[] = [
    [verdict.hasDied, 'the process lives'],
    [verdict.otherFault !== null, 'another caller is served'],
    [verdict.longestHoldMs > mostHoldMs(verdict), 'nobody holds the event loop'],
    [verdict.grownBytes > mostGrownBytes(one), 'what waits for readers is bounded'],
    [verdict.keptBytes > 12 * mebibyte, 'memory comes back'],
    [isAlike && verdict.executions > events + streams, 'equal streams execute an event once'],
    [isRead && verdict.leastEvents < events, 'a reader who reads gets every event'],
  ];
  return faults.filter(([isBroken]) => isBroken).map(([, promise]) => promise);
}

const cases: fc.Arbitrary<StreamCase> = fc.record({
  streams: fc.constantFrom(20, 100),
  eventBytes: fc.constantFrom(100, 2_000, 20_000),
  burst: fc.constantFrom(1, 10, 40),
  bursts: fc.constantFrom(1, 2),
  reading: fc.constantFrom('all', 'none', 'slow', 'some stop'),
  isAlike: fc.boolean(),
});

const seed = seedOf(process.env['STREAMS_SEED']);
const count = runs(2);

test.for(fc.sample(cases, { seed, numRuns: count }))(
  `streams of one caller hold up nobody (STREAMS_SEED=${seed}): %o`,
  patient,
  async (one) => {
    const verdict = await runCase(one, { env });
    expect(broken(one, verdict), JSON.stringify(verdict)).toEqual([]);
  },
);

describe('the generator finds a gateway that', () => {
  const crowd: StreamCase = { streams: 20, eventBytes: 2_000, burst: 20, bursts: 1, reading: 'all', isAlike: true };
  const stalled: StreamCase = {
    streams: 2,
    eventBytes: 400_000,
    burst: 4,
    bursts: 14,
    reading: 'some stop',
    isAlike: true,
  };

  test.for<[fault: string, promise: string, one: StreamCase]>([
    ['each executes for itself', 'equal streams execute an event once', crowd],
    ['has no slices', 'nobody holds the event loop', { ...crowd, streams: 150, isAlike: false }],
    ['counts no bytes', 'what waits for readers is bounded', stalled],
  ])('%s', patient, async ([fault, promise, one]) => {
    const verdict = await runCase(one, { env, fault });
    expect(broken(one, verdict), JSON.stringify(verdict)).toContain(promise);
  });
});
