import { getEventListeners } from 'node:events';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { createTransport } from '../../../src/upstream/transport/transport.ts';
import { startScriptedUpstream } from '../../support/scripted-upstream.ts';

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

test('what has been read, or is given up, leaves no listener', async () => {
  const upstream = await startScriptedUpstream();
  upstream.script(() => ({ text: 'all of it' }));
  const transport = createTransport(upstream.baseUrl, limits);
  const { signal } = new AbortController();
  for (const use of [
    async (body: Readable) => expect(await text(body)).toBe('all of it'),
    async (body: Readable) => void body.destroy(),
  ]) {
    const { body } = await transport.stream({ ...request, signal });
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    await use(body);
    await expect.poll(() => getEventListeners(signal, 'abort')).toEqual([]);
  }
  expect(await transport.collect({ ...request, signal })).toMatchObject({ status: 200 });
  expect(getEventListeners(signal, 'abort')).toEqual([]);
  expect(upstream.requests).toHaveLength(3);
  const left = AbortSignal.abort(new Error('left before'));
  await expect(transport.stream({ ...request, signal: left })).rejects.toThrow('left before');
  expect(upstream.requests).toHaveLength(3);
  await transport.close();
  await upstream.close();
});
