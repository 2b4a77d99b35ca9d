import { expect, test as base, type Gateway } from '../support/gateway.ts';
import { CancelSource } from '../../src/cancellation.ts';
import type { Exchange } from '../../src/http/request/exchange.ts';
import { RunningCalls, cancellableCalls } from '../../src/mcp/running-calls.ts';
import { hang, watched, type ScriptedUpstream } from '../support/scripted-upstream.ts';
import { summaryReply } from '../support/root-fields.ts';

const test = base.extend<{ readonly tools: Gateway }>({
  tools: async ({ startWith }, use) => use(await startWith({ MCP: 'true' })),
});

const spend = { name: 'spend', arguments: { startDate: '2026-10-01', endDate: '2026-11-01' } };

async function send(tools: Gateway, key: string | null, message: object): Promise<readonly [number, string]> {
  const response = await tools.fetch('/mcp', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
      ...(key !== null && { authorization: `Bearer ${key}` }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', ...message }),
  });
  return [response.status, await response.text()];
}

const call = (tools: Gateway, key: string, id: unknown, params: object = spend) =>
  send(tools, key, { id, method: 'tools/call', params });
const cancel = (tools: Gateway, key: string | null, requestId: unknown) =>
  send(tools, key, { method: 'notifications/cancelled', params: { requestId, reason: 'test' } });

/** Makes reports come when the returned function is called. */
function slowReports(upstream: ScriptedUpstream): () => void {
  const coming = Promise.withResolvers<void>();
  upstream.script(async (request) => {
    await coming.promise;
    return summaryReply(request);
  });
  return coming.resolve;
}

test.for([7, 'seven', 0, '', -1])(
  'a call that is cancelled by its id ends without a response, and ends its calls of the API: %j',
  async (id, { startWith, upstream }) => {
    const { reply, asked, left } = watched(hang);
    upstream.script(() => reply);
    const tools = await startWith({ MCP: 'true', UPSTREAM_TIMEOUT_MS: '60000', OPERATION_TIMEOUT_MS: '60000' });
    const called = call(tools, 'own', id);
    await asked;
    expect(await cancel(tools, 'own', id)).toEqual([202, '']);
    expect(await called).toEqual([202, '']);
    await left;
    expect(tools.log.join('')).not.toMatch(/internal error|INTERNAL_SERVER_ERROR/);
  },
);

test.for<[what: string, key: string | null, requestId: unknown]>([
  ['another caller', 'third', 7],
  ['a caller without a key', null, 7],
  ['its own caller by another id', 'own', 8],
  ['its own caller by a text that looks like the id', 'own', '7'],
  ['its own caller by no id', 'own', undefined],
  ['its own caller by a list', 'own', [7]],
])('a call is not cancelled by %s', async ([, key, requestId], { tools, upstream }) => {
  const come = slowReports(upstream);
  const called = call(tools, 'own', 7);
  await expect.poll(() => upstream.requests.length).toBe(1);
  const [status] = await cancel(tools, key, requestId);
  expect(status).toBeLessThan(500);
  come();
  const [answered, text] = await called;
  expect([answered, JSON.parse(text).id]).toEqual([200, 7]);
  expect(text).toContain('grandTotal');
});

test('two calls of one key with one id are both left alone: nobody knows which is meant', async ({
  tools,
  upstream,
}) => {
  const come = slowReports(upstream);
  const both = [call(tools, 'own', 7), call(tools, 'own', 7, { name: 'newest_missions' })];
  await expect.poll(() => upstream.requests.length).toBe(2);
  expect(await cancel(tools, 'own', 7)).toEqual([202, '']);
  come();
  for (const [status, text] of await Promise.all(both)) expect([status, JSON.parse(text).id]).toEqual([200, 7]);
});

test('a call whose client has left before it begins is over at once, and nothing is kept of it', () => {
  const running = new RunningCalls();
  const signal = new CancelSource();
  signal.abort(new Error('The client has left.'));
  // Its end has passed, so nobody hears of it.
  const exchange = { signal, whenEnded: () => {} } as unknown as Exchange;
  for (let id = 0; id <= cancellableCalls; id++)
    expect(running.begin('caller', id, exchange).exchange.signal.aborted).toBe(true);
  const here = { signal: new CancelSource(), whenEnded: () => {} } as unknown as Exchange;
  const begun = running.begin('caller', 0, here);
  running.cancel('caller', 0);
  expect(begun.exchange.signal.aborted).toBe(true);
});

test('calls that can be cancelled are bounded, and forgotten when they end', () => {
  const running = new RunningCalls();
  const begin = (id: number) => {
    const listeners: (() => void)[] = [];
    const exchange = {
      signal: new CancelSource(),
      whenEnded: (listener: () => void) => listeners.push(listener),
    } as unknown as Exchange;
    const { signal } = running.begin('caller', id, exchange).exchange;
    return { signal, end: () => listeners.forEach((listener) => listener()) };
  };
  const calls = Array.from({ length: cancellableCalls }, (_, id) => begin(id));
  const beyond = begin(cancellableCalls);
  running.cancel('caller', cancellableCalls);
  expect(beyond.signal.aborted).toBe(false);
  for (const { end } of calls) end();
  running.cancel('caller', 0);
  expect(calls[0]?.signal.aborted).toBe(false);
  const next = begin(0);
  running.cancel('caller', 0);
  expect(next.signal.aborted).toBe(true);
});
