import { expect, test } from 'vitest';
import { createTransport } from '../../src/upstream/transport/transport.ts';
import { startScriptedUpstream } from '../support/scripted-upstream.ts';

const request = { path: '/x', headers: {}, signal: new AbortController().signal };
const limits = { timeoutMs: 10_000, connectTimeoutMs: 1000, stallTimeoutMs: 1000, maxBodyBytes: 1_000_000 };

test('the transport cancels a call whose caller has left', async () => {
  const upstream = await startScriptedUpstream();
  const transport = createTransport(upstream.baseUrl, limits);
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
