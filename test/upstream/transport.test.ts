import { expect, test } from 'vitest';
import { createTransport } from '../../src/upstream/transport.ts';
import { startScriptedUpstream, type Reply } from '../support/scripted-upstream.ts';

const request = { path: '/x', headers: {}, signal: new AbortController().signal };
const connections = 128;

test('a call that was timed out while it waited for a connection does not go out any more', async () => {
  const upstream = await startScriptedUpstream();
  const drip: Reply = {
    act: (res) => {
      res.writeHead(200);
      const timer = setInterval(() => res.write('x'), 20);
      res.on('close', () => clearInterval(timer));
    },
  };
  upstream.script(({ path }) => (path === '/report' ? drip : { text: 'ok' }));
  const transport = createTransport(upstream.baseUrl, 1000);
  // A report that keeps coming keeps its connection for as long as it is read.
  const reports = await Promise.all(
    Array.from({ length: connections }, () => transport.stream({ ...request, path: '/report' })),
  );
  await expect(transport.collect({ ...request, path: '/waiting' })).rejects.toMatchObject({ code: 'UPSTREAM_TIMEOUT' });
  for (const { body } of reports) body.on('error', () => {}).destroy();
  const { body } = await transport.collect({ ...request, path: '/next' });
  expect(body.toString()).toBe('ok');
  expect(upstream.requests.map(({ path }) => path)).not.toContain('/waiting');
  await transport.close();
  await upstream.close();
});

test('a call whose caller has left is given up', async () => {
  const upstream = await startScriptedUpstream();
  const transport = createTransport(upstream.baseUrl, 10_000);
  const leaving = new AbortController();
  const gone = new Promise<void>((resolve) => {
    upstream.script(() => ({
      act: (res) => {
        res.on('close', () => resolve());
        leaving.abort();
      },
    }));
  });
  await expect(transport.collect({ ...request, signal: leaving.signal })).rejects.toThrow('aborted');
  await gone;
  await expect(transport.collect({ ...request, signal: leaving.signal })).rejects.toThrow('aborted');
  expect(upstream.requests).toHaveLength(1);
  await transport.close();
  await upstream.close();
});
