import { runCase, type StreamCase } from './case.ts';

// `npx node test/hostile/streams/main.ts`: how long streams of one caller hold the gateway, and what they take of its memory, as
// docs/deployment.md says it; `… main.ts 2500 2000 50 all` for one case: streams, bytes of an event, events of a burst, reading.
const [streams, eventBytes, burst, reading = 'all'] = process.argv.slice(2);
const given: StreamCase = {
  streams: Number(streams ?? 500),
  eventBytes: Number(eventBytes),
  burst: Number(burst),
  bursts: 1,
  reading: reading as StreamCase['reading'],
  isAlike: true,
};
const sizes = [
  [1_000, 50],
  [20_000, 50],
  [400_000, 10],
] as const;
const usual = (['all', 'none'] as const).flatMap((read) =>
  sizes.map(([bytes, count]): StreamCase => ({ ...given, eventBytes: bytes, burst: count, reading: read })),
);
for (const one of streams === undefined ? usual : [given]) {
  const { longestHoldMs, peakRss, grownBytes, otherMs, hasDied, leastEvents, ended } = await runCase(one);
  const perStream = `${Math.round(grownBytes / one.streams / 1_024)} KiB a stream`;
  console.log(one, { longestHoldMs, peakRssMiB: peakRss >> 20, perStream, otherMs, hasDied, leastEvents, ended });
}
process.exit();
