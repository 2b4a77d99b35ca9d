import { describeFailure, version } from '../../src/telemetry/log.ts';
import { askAndLeave, expect, test, type Gateway } from '../support/gateway.ts';
import { connectTo } from '../support/http.ts';
import { pageReply, refusal } from '../support/scripted-upstream.ts';

type Line = Readonly<Record<string, unknown>>;

/** The lines of finished requests, as soon as there are as many as expected. */
async function requestLines(gateway: Gateway, count: number): Promise<readonly Line[]> {
  const read = (): Line[] =>
    gateway.log.map((line) => JSON.parse(line)).filter((line: Line) => line['msg'] === 'request');
  await expect.poll(() => read().length).toBe(count);
  return read();
}

test('the log has one line for a request', async ({ gateway, upstream }) => {
  upstream.script((request) =>
    request.path === '/ai/missions' ? pageReply([], request) : refusal(403, '10010', 'Forbidden'),
  );
  const query = 'query Start { missions { totalCount } ipConnections { totalCount } }';
  await gateway.query(query, { headers: { 'x-request-id': 'id-1' } });
  expect(await requestLines(gateway, 1)).toEqual([
    {
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      service: 'switchboard',
      version,
      msg: 'request',
      requestId: 'id-1',
      method: 'POST',
      endpoint: '/graphql',
      status: 200,
      durationMs: expect.any(Number),
      operationName: 'Start',
      errorCodes: ['FORBIDDEN'],
      upstreamCalls: 2,
      userAgent: 'node',
    },
  ]);
  expect(gateway.log).toHaveLength(1);
  expect(gateway.log[0]).toMatch(/^[^\n]+\n$/);
});

test('the log has one line for every endpoint, but probes only for debugging', async ({ gateway, startWith }) => {
  const quiet = await startWith({ LOG_LEVEL: 'info' });
  const silent = await startWith({ LOG_LEVEL: 'warn' });
  const paths: readonly [path: string, method: string, endpoint: string, status: number][] = [
    ['/health', 'GET', '/health', 200],
    ['/health', 'POST', '/health', 405],
    ['/graphql?query={__typename}', 'HEAD', '/graphql', 200],
    ['/graphql', 'PUT', '/graphql', 405],
    ['/exports/charges-breakdown.csv', 'GET', '/exports/charges-breakdown.csv', 400],
    ['/nothing', 'GET', 'other', 404],
  ];
  for (const [path, method] of paths) for (const each of [gateway, quiet, silent]) await each.fetch(path, { method });
  const lines = await requestLines(gateway, paths.length);
  const expected = paths.map(([, method, endpoint, status]) => ({ method, endpoint, status, upstreamCalls: 0 }));
  expect(lines).toMatchObject(expected);
  expect((await requestLines(quiet, 4)).map(({ endpoint }) => endpoint)).not.toContain('/health');
  expect(silent.log).toEqual([]);
});

test('the log has one line for a client that leaves, whose call ends with it', async ({ gateway, upstream }) => {
  await askAndLeave({ gateway, upstream }, '{ missions { totalCount } }', { headers: { 'x-request-id': 'id-1' } });
  const left = { requestId: 'id-1', method: 'GET', status: 499, upstreamCalls: 1, aborted: true };
  expect(await requestLines(gateway, 1)).toMatchObject([left]);
  await expect.poll(async () => (await gateway.fetch('/metrics')).text()).toMatch(/outcome="aborted"\} 1/);
  expect(gateway.log.filter((line) => line.includes('internal error'))).toEqual([]);
});

test('the log has one line for a client that leaves in the middle of its own body', async ({ gateway, upstream }) => {
  const socket = connectTo(gateway);
  socket.write('POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{"que');
  await expect.poll(async () => (await gateway.fetch('/health')).status).toBe(200);
  socket.destroy();
  const lines = await requestLines(gateway, 2);
  expect(lines.filter(({ endpoint }) => endpoint === '/graphql')).toMatchObject([{ status: 499, aborted: true }]);
  expect(gateway.log).toHaveLength(2);
  expect(upstream.requests).toEqual([]);
});

test('a failure is described by its name, code and stack, and never by its message', () => {
  const failure = Object.assign(new Error('of a-key'), { code: 'EMFILE' });
  expect(describeFailure(failure)).toMatch(/^Error EMFILE\n {4}at /);
  expect(describeFailure(Object.assign(new TypeError('of a-key'), { code: 'a-key' }))).toMatch(/^TypeError\n {4}at /);
});
