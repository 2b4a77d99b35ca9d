import { Agent } from 'node:http';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'vitest';
import { openSocket } from '../support/graphql-socket.ts';
import { get, metricAt, missionsAt, seven, sevenText, startUnready, startWorkers } from './gateway.ts';
import { whenReady } from '../support/ready.ts';

const concurrently = test.concurrent;
// Time limits have tests of their own.
const patient = {
  UPSTREAM_QUEUE_TIMEOUT_MS: '60000',
  UPSTREAM_TIMEOUT_MS: '60000',
  OPERATION_TIMEOUT_MS: '100000',
};

/** Sends so many requests side by side, each of a caller and a connection of its own. */
function crowd(url: string, count: number) {
  return Promise.all(Array.from({ length: count }, (_, index) => get(missionsAt(url), `key-${index}`)));
}

/** An upstream's script that holds its responses until `give` is called. */
function holding() {
  const giving = Promise.withResolvers<undefined>();
  return {
    give: () => giving.resolve(undefined),
    script: async (...args: Parameters<typeof seven>) => {
      await giving.promise;
      return seven(...args);
    },
  };
}

interface LogLine {
  readonly msg: string;
  readonly endpoint?: string;
  readonly waitMs?: number;
}

function linesOf(out: string): readonly LogLine[] {
  return out
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as LogLine);
}

function replacements(out: string): readonly LogLine[] {
  return linesOf(out).filter(({ msg }) => msg === 'a worker has ended and is replaced');
}

describe('WORKERS=2', () => {
  concurrently(
    'is one process: one port, one count and one whole line of the log for each request',
    async (context) => {
      const { expect, onTestFinished } = context;
      const { program, url, metric } = await startWorkers(onTestFinished, { LOG_LEVEL: 'info' });
      const outcomes = await crowd(url, 200);
      expect(new Set(outcomes.map(({ text }) => text))).toEqual(new Set([sevenText]));
      expect(await metric('switchboard_workers')).toBe(2);
      const counted = 'switchboard_http_request_duration_seconds_count{endpoint="/graphql",status="200"}';
      expect(await metric(counted)).toBe(200);
      expect(await metric('switchboard_upstream_slots{pool="all"}')).not.toBe(0);
      program.kill('SIGTERM');
      expect(await program.ending).toEqual([0, null]);
      expect(program.err).toBe('');
      expect(linesOf(program.out).filter(({ endpoint }) => endpoint === '/graphql')).toHaveLength(200);
    },
  );

  concurrently('spreads the connections over both workers', async ({ expect, onTestFinished }) => {
    const { give, script } = holding();
    const { url, upstream } = await startWorkers(onTestFinished, {}, script);
    const outcomes = Promise.all(Array.from({ length: 50 }, () => get(missionsAt(url))));
    // Equal calls that are under way together are one call of each worker.
    await expect.poll(() => upstream.requests.length).toBe(2);
    give();
    expect(new Set((await outcomes).map(({ text }) => text))).toEqual(new Set([sevenText]));
  });

  concurrently('serves WebSockets in both workers, and ends them with 1001', async ({ expect, onTestFinished }) => {
    const { program, url, metric } = await startWorkers(onTestFinished);
    const sockets = await Promise.all(Array.from({ length: 20 }, () => openSocket({ url })));
    for (const socket of sockets) socket.subscribe('1', { query: '{ missions { totalCount } }' });
    const results = await Promise.all(sockets.map(async (socket) => (await socket.next('1')).payload));
    expect(new Set(results.map((result) => JSON.stringify(result)))).toEqual(new Set([sevenText]));
    expect(await metric('switchboard_websockets')).toBe(20);
    program.kill('SIGTERM');
    const codes = await Promise.all(sockets.map(async ({ closed }) => (await closed).code));
    expect(new Set(codes)).toEqual(new Set([1001]));
    expect(await program.ending).toEqual([0, null]);
  });

  concurrently('serves probes and metrics on ADMIN_PORT, of both workers', async ({ expect, onTestFinished }) => {
    const { program, url } = await startWorkers(onTestFinished, { ADMIN_PORT: '0' });
    const [, adminUrl = ''] = await program.printed(/Probes and metrics: (http:\/\/[\d.]+:\d+)/);
    await crowd(url, 50);
    const counted = 'switchboard_http_request_duration_seconds_count{endpoint="/graphql",status="200"}';
    for (let round = 0; round < 10; round++) expect(await metricAt(adminUrl, counted)).toBe(50);
    expect((await get(`${url}/metrics`)).status).toBe(404);
    await whenReady(adminUrl);
    for (const path of ['/health', '/ready']) expect((await get(adminUrl + path)).status).toBe(200);
  });

  concurrently('makes no more calls at once than UPSTREAM_MAX_CONCURRENCY', async ({ expect, onTestFinished }) => {
    let underWay = 0;
    let most = 0;
    // The first call waits for another one, however slowly they come.
    const second = Promise.withResolvers<void>();
    const env = { WORKERS: '3', UPSTREAM_MAX_CONCURRENCY: '12', ...patient };
    const { url } = await startWorkers(onTestFinished, env, async (...args) => {
      most = Math.max(most, ++underWay);
      if (most > 1) second.resolve();
      await second.promise;
      await new Promise((resolve) => setTimeout(resolve, 5));
      underWay -= 1;
      return seven(...args);
    });
    const outcomes = await crowd(url, 60);
    expect(outcomes.filter(({ text }) => text !== sevenText)).toEqual([]);
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(12);
  });

  concurrently('reads trusted documents again in every worker at SIGHUP', async ({ expect, onTestFinished }) => {
    const folder = await mkdtemp(join(tmpdir(), 'switchboard-workers-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = join(folder, 'one.graphql');
    await writeFile(file, 'query One { missions(first: 1) { totalCount } }');
    const env = { PERSISTED_OPERATIONS: folder, PERSISTED_OPERATIONS_ONLY: 'true', LOG_LEVEL: 'info' };
    const { program } = await startWorkers(onTestFinished, env);
    await writeFile(file, 'query One { missions(first: 2) { totalCount } }');
    program.kill('SIGHUP');
    const reread = () => linesOf(program.out).filter(({ msg }) => msg === 'trusted documents were read again');
    await expect.poll(() => reread().length).toBe(2);
  });

  concurrently('a stop under load responds to every request of connections that are kept', async (context) => {
    const { expect, onTestFinished } = context;
    const { program, url } = await startWorkers(onTestFinished, { WORKERS: '3' });
    const agent = new Agent({ keepAlive: true, maxSockets: 20 });
    onTestFinished(() => agent.destroy());
    const outcomes: string[] = [];
    let isRefused = false;
    const load = Array.from({ length: 20 }, async () => {
      while (!isRefused) {
        const { text } = await get(missionsAt(url), 'test-key', agent);
        if (text === 'refused') isRefused = true;
        else outcomes.push(text);
      }
    });
    await expect.poll(() => outcomes.length).toBeGreaterThan(200);
    program.kill('SIGTERM');
    program.kill('SIGINT');
    expect(await program.ending).toEqual([0, null]);
    await Promise.all(load);
    expect([...new Set(outcomes)]).toEqual([sevenText]);
  });
});

describe('a worker that ends', () => {
  concurrently('costs its own requests alone, and is replaced', async ({ expect, onTestFinished }) => {
    const { give, script } = holding();
    const { program, url, metric, upstream } = await startWorkers(onTestFinished, { LOG_LEVEL: 'error' }, script);
    const underWay = crowd(url, 60);
    await expect.poll(() => upstream.requests.length).toBe(60);
    const counted = 'switchboard_http_request_duration_seconds_count{endpoint="/metrics",status="200"}';
    await metric(counted);
    const before = await metric(counted);
    expect(await get(`${url}/fault/exit`)).toMatchObject({ status: 0 });
    await expect.poll(() => metric('switchboard_replaced_workers_total')).toBe(1);
    await expect.poll(() => metric('switchboard_workers')).toBe(2);
    give();
    const texts = (await underWay).map(({ text }) => text);
    const served = texts.filter((text) => text === sevenText);
    expect(served.length).toBeGreaterThan(0);
    expect(texts.filter((text) => text !== sevenText && text !== 'ECONNRESET')).toEqual([]);
    expect((await crowd(url, 50)).every(({ text }) => text === sevenText)).toBe(true);
    // The counts of the worker that has ended are still in the sum.
    expect(await metric(counted)).toBeGreaterThanOrEqual(before);
    expect(replacements(program.out)).toMatchObject([{ waitMs: 100 }]);
    program.kill('SIGTERM');
    expect(await program.ending).toEqual([0, null]);
  });

  concurrently('for want of memory is replaced, and the others serve', async ({ expect, onTestFinished }) => {
    const { url, metric } = await startWorkers(onTestFinished, { LOG_LEVEL: 'error' }, seven, [
      '--max-old-space-size=128',
    ]);
    expect(await get(`${url}/fault/memory`)).toMatchObject({ status: 0 });
    await expect.poll(() => metric('switchboard_replaced_workers_total')).toBe(1);
    expect((await crowd(url, 50)).every(({ text }) => text === sevenText)).toBe(true);
  });

  concurrently('never, since it hangs, holds up neither metrics nor the stop', async ({ expect, onTestFinished }) => {
    const { program, url, metric } = await startWorkers(onTestFinished);
    void get(`${url}/fault/hang`);
    // Half of all connections go to the worker that hangs.
    await expect
      .poll(() =>
        Promise.race([metric('switchboard_workers'), new Promise((resolve) => setTimeout(resolve, 3_000, NaN))]),
      )
      .toBeGreaterThan(0);
    const stopped = performance.now();
    program.kill('SIGTERM');
    expect(await program.ending).toEqual([0, null]);
    expect(performance.now() - stopped).toBeLessThan(15_000);
  });

  concurrently('by an exception finishes its requests, while the process stays ready', async (context) => {
    const { expect, onTestFinished } = context;
    const { give, script } = holding();
    const { program, url, metric, upstream } = await startWorkers(onTestFinished, { LOG_LEVEL: 'error' }, script);
    const underWay = crowd(url, 60);
    await expect.poll(() => upstream.requests.length).toBe(60);
    await get(`${url}/fault/throw`);
    for (let round = 0; round < 20; round++) expect(await get(`${url}/ready`)).toMatchObject({ status: 200 });
    await expect.poll(() => metric('switchboard_replaced_workers_total')).toBe(1);
    expect(await metric('switchboard_unhandled_total')).toBe(1);
    give();
    expect(new Set((await underWay).map(({ text }) => text))).toEqual(new Set([sevenText]));
    program.kill('SIGTERM');
    expect(await program.ending).toEqual([0, null]);
    expect(program.out).not.toMatch(/test-key/);
  });

  concurrently('at each start is tried again less and less often, and the others serve', async (context) => {
    const { expect, onTestFinished } = context;
    const { program, url } = await startWorkers(onTestFinished, { FAULT_AT_START: 'later', LOG_LEVEL: 'error' });
    const waits = () => replacements(program.out).map(({ waitMs }) => waitMs);
    await expect.poll(() => waits().length).toBeGreaterThan(3);
    expect(waits().slice(0, 4)).toEqual([100, 200, 400, 800]);
    expect((await crowd(url, 50)).every(({ text }) => text === sevenText)).toBe(true);
    // This stop falls into the wait for a replacement.
    program.kill('SIGTERM');
    expect(await program.ending).toEqual([0, null]);
  });

  concurrently(
    'is not waited for where a stop comes while its replacement starts',
    async ({ expect, onTestFinished }) => {
      const { program, url } = await startWorkers(onTestFinished, { LOG_LEVEL: 'error' });
      await get(`${url}/fault/exit`);
      await program.printed(/is replaced/);
      await new Promise((resolve) => setTimeout(resolve, 150));
      program.kill('SIGTERM');
      expect(await program.ending).toEqual([0, null]);
      expect(program.err).toBe('');
    },
  );
});

describe('a start that cannot be', () => {
  concurrently('ends with 1 and one line where workers fail', async ({ expect, onTestFinished }) => {
    const program = startUnready(onTestFinished, { WORKERS: '2', FAULT_AT_START: 'all' });
    expect(await program.ending).toEqual([1, null]);
    expect(program.err).toMatch(/^Switchboard cannot start: a worker has ended while it started[^\n]*\n$/);
    expect(program.out).toBe('');
  });

  concurrently('ends with 1 and one line where another gateway of workers has the port', async (context) => {
    const { expect, onTestFinished } = context;
    const { url } = await startWorkers(onTestFinished);
    const { port } = new URL(url);
    for (const workers of ['1', '2']) {
      const second = startUnready(onTestFinished, { WORKERS: workers, PORT: port });
      expect(await second.ending).toEqual([1, null]);
      expect(second.err).toMatch(/^[^\n]*PORT[^\n]*EADDRINUSE[^\n]*\n$/);
    }
  });

  test.concurrent.for(['0', 'all'])(
    'WORKERS=%s ends with 1 and one line',
    async (workers, { expect, onTestFinished }) => {
      const program = startUnready(onTestFinished, { WORKERS: workers });
      expect(await program.ending).toEqual([1, null]);
      expect(program.err).toBe('Switchboard cannot start: WORKERS must be a whole number from 1 to 256, or auto.\n');
    },
  );

  concurrently('WORKERS beyond UPSTREAM_MAX_CONCURRENCY ends with 1 and one line', async (context) => {
    const { expect, onTestFinished } = context;
    const program = startUnready(onTestFinished, { WORKERS: '3', UPSTREAM_MAX_CONCURRENCY: '2' });
    expect(await program.ending).toEqual([1, null]);
    expect(program.err).toMatch(/^[^\n]*WORKERS[^\n]*UPSTREAM_MAX_CONCURRENCY[^\n]*\n$/);
  });
});
