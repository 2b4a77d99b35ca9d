import { createSchema } from '../../src/resources/schema.ts';
import { readTypeDefs } from '../../src/graphql/schema/type-defs.ts';
import { listening, startProgram, type Program } from '../support/program.ts';
import { createSoakClient } from './client.ts';
import { load, type Tally } from './load.ts';
import { look, type Look } from './look.ts';

// `npm run soak`: a gateway in one process, a failing upstream in another, and a mixed load for SOAK_SECONDS (300). It ends
// with a table of figures, and with 1 where a promise was broken.
const seconds = Number(process.env['SOAK_SECONDS'] ?? 300);
const rate = Number(process.env['SOAK_RATE'] ?? 150);
const seed = process.env['SOAK_SEED'] ?? 'soak';
const warmUpSeconds = Math.min(20, seconds / 3);
const atOnce = 48;

// Metrics and caches are bounded, but not empty: so much may remain.
const mostGrowth = 12 * 1_048_576;
const quietMs = 20_000;

const settings = {
  PORT: '0',
  LOG_LEVEL: 'error',
  UPSTREAM_TIMEOUT_MS: '2000',
  UPSTREAM_STALL_TIMEOUT_MS: '1000',
  OPERATION_TIMEOUT_MS: '5000',
  UPSTREAM_MAX_BODY_BYTES: '4194304',
  UPSTREAM_BREAKER_OPEN_MS: '500',
};

/** Waits until no connection is left, or for a while, and looks. */
async function lookWhenQuiet(gateway: Program): Promise<Look> {
  const deadline = performance.now() + quietMs;
  for (;;) {
    const seen = await look(gateway);
    if (seen.sockets === 0 || performance.now() > deadline) return seen;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

async function soak(gateway: Program, url: string): Promise<{ tally: Tally; before: Look; after: Look; under: Look }> {
  const schema = createSchema(readTypeDefs());
  const run = async (length: number): Promise<Tally> => {
    const client = createSoakClient(url, atOnce);
    const tally = await load({ client, schema, seconds: length, rate, atOnce, seed });
    client.close();
    return tally;
  };
  await run(warmUpSeconds);
  const before = await lookWhenQuiet(gateway);
  const tally = await run(seconds);
  const under = await look(gateway);
  return { tally, before, under, after: await lookWhenQuiet(gateway) };
}

const mebibytes = (bytes: number): number => Math.round(bytes / 104_857.6) / 10;

const upstream = startProgram('test/soak/upstream.ts', { SOAK_SEED: seed });
const [, origin = ''] = await upstream.printed(/^(http:\S+)$/m);
const gateway = startProgram('test/soak/gateway.ts', { ...settings, UPSTREAM_BASE_URL: `${origin}/v2` });
// An early end leaves no process behind.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    for (const program of [gateway, upstream]) program.kill('SIGKILL');
    process.exit(1);
  });
}
try {
  const [, url = ''] = await gateway.printed(listening);
  console.log(
    `${seconds} s of mixed load on ${url}, ${rate} requests a second at most, after ${warmUpSeconds} s to warm up.`,
  );
  const { tally, before, under, after } = await soak(gateway, url);
  const stopped = performance.now();
  gateway.kill('SIGTERM');
  const [code] = await gateway.ending;
  const stopMs = Math.round(performance.now() - stopped);

  console.table(tally.byKind);
  console.table({
    requests: Object.values(tally.outcomes).reduce((sum, count) => sum + count, 0),
    ...tally.outcomes,
    'longest answer, ms': Math.round(tally.longestMs),
    'event loop, longest delay under load, ms': under.longestDelayMs,
    'event loop, 99 % of delays below, ms': under.p99DelayMs,
    'heap before, MiB': mebibytes(before.heapUsed),
    'heap after, MiB': mebibytes(after.heapUsed),
    'RSS before, MiB': mebibytes(before.rss),
    'RSS after, MiB': mebibytes(after.rss),
    'sockets before': before.sockets,
    'sockets after': after.sockets,
    'stop, ms': stopMs,
  });
  const broken = [
    tally.outcomes.lost > 0 && `${tally.outcomes.lost} requests had no answer`,
    tally.outcomes.faulty > 0 && `${tally.outcomes.faulty} answers had faults`,
    after.heapUsed - before.heapUsed > mostGrowth && 'the heap has grown',
    after.sockets > before.sockets && 'sockets were left open',
    gateway.err !== '' && `the gateway wrote to standard error: ${gateway.err.slice(0, 500)}`,
    /"level":"error"/.test(gateway.out) && `the gateway logged errors of its own: ${gateway.out.slice(0, 1_000)}`,
    code !== 0 && `the gateway ended with ${code}`,
  ].filter((promise) => promise !== false);
  for (const fault of [...new Set(tally.faults)].slice(0, 10)) console.log(fault);
  console.log(broken.length === 0 ? 'Every promise was kept.' : `Broken: ${broken.join('; ')}.`);
  process.exitCode = broken.length === 0 ? 0 : 1;
} finally {
  await gateway[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
}
