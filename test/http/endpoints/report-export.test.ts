import { expect, test, type Gateway } from '../../support/gateway.ts';
import { cutOff, hang, hangUp, stall, watched, type Reply } from '../../support/scripted-upstream.ts';

const path = '/exports/charges-breakdown.csv';
const october = `${path}?startDate=2026-10-01&endDate=2026-11-01`;
const authorization = 'Bearer test-key';
const csv = { headers: { 'content-type': 'text/csv' } };
/** A gateway that does not wait for long. */
const hasty = { UPSTREAM_TIMEOUT_MS: '500' };

const ask = (gateway: Gateway, search: string, headers: Readonly<Record<string, string>> = { authorization }) =>
  gateway.fetch(search, { headers });

// A byte order mark, CRLF, quotes, a text that is no UTF-8, a zero byte, no line end at the end.
const bytes = Buffer.concat([
  Buffer.from('\uFEFFtn,name,cost\r\n+13125550123,"a ""b"", ü",1.00\r\n'),
  Buffer.from([0xff, 0xfe, 0x00, 0x80]),
  Buffer.from('\n\n,last'),
]);

test.for(['text/csv', 'application/octet-stream'])(
  'passes %s on byte for byte',
  async (contentType, { gateway, upstream }) => {
    upstream.script(() => ({
      act: (res) => {
        res.writeHead(200, { 'content-type': contentType, 'x-secret': 'hush', 'set-cookie': 'hush=1' });
        for (const byte of bytes) res.write(Buffer.from([byte]));
        res.end();
      },
    }));
    const own = { authorization, 'x-request-id': 'id-1' };
    const response = await ask(gateway, october, own);
    expect(response.status).toBe(200);
    expect(Buffer.from(await response.arrayBuffer())).toEqual(bytes);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="charges-breakdown-2026-10-01-2026-11-01.csv"',
      'x-request-id': 'id-1',
    });
    expect(JSON.stringify([...response.headers])).not.toContain('hush');
    const query = { format: 'csv', start_date: '2026-10-01', end_date: '2026-11-01' };
    expect(upstream.requests).toMatchObject([
      { path: '/charges_breakdown', query, headers: { ...own, accept: 'text/csv' } },
    ]);
  },
);

const refusals: readonly [search: string, argument: string][] = [
  ['', 'startDate'],
  ['?endDate=2026-10-01', 'startDate'],
  ['?startDate=2026-02-30', 'startDate'],
  ['?startDate=2026-10-01T00:00:00Z', 'startDate'],
  ['?startDate=2026-10-01&endDate=2026-13-01', 'endDate'],
  ['?startDate=2026-10-01&endDate=2026-10-01', 'endDate'],
  ['?startDate=2026-10-01&endDate=2026-11-02', 'endDate'],
];

test.for(refusals)('refuses %j and points at %s', async ([search, argument], { gateway, upstream }) => {
  const response = await ask(gateway, path + search);
  expect([response.status, response.headers.get('content-type')]).toEqual([400, 'application/json; charset=utf-8']);
  const requestId = response.headers.get('x-request-id');
  const extensions = { code: 'BAD_USER_INPUT', retryable: false, argument: [argument], requestId };
  expect(await response.json()).toEqual({ errors: [{ message: expect.stringMatching(/\w/), extensions }] });
  expect(upstream.requests).toEqual([]);
});

const envelope = (code: string, status: number): Reply => ({ status, json: { errors: [{ code, title: 'Title' }] } });
const brokenOff = cutOff('{', { status: 500, headers: { 'content-length': '99' } });

/** Tells that it is at work, and never anything else. */
const processing: Reply = {
  act(res) {
    const timer = setInterval(() => res.writeProcessing(), 100);
    res.once('close', () => clearInterval(timer));
  },
};

// Which code each failure has: fields/error.test.ts and upstream/failure.test.ts. Here it has a status too.
test.for<[what: string, reply: Reply, status: number, code: string]>([
  ['a bad date', envelope('10015', 400), 400, 'BAD_USER_INPUT'],
  ['a refused key', envelope('10009', 401), 401, 'UNAUTHENTICATED'],
  ['a key without rights', envelope('10010', 403), 403, 'FORBIDDEN'],
  ['nothing there', envelope('10005', 404), 404, 'NOT_FOUND'],
  ['an account without bills', envelope('10027', 422), 422, 'UNPROCESSABLE_ENTITY'],
  ['a used-up limit', { status: 429, json: {}, headers: { 'retry-after': '7' } }, 429, 'RATE_LIMITED'],
  ['another refusal', { status: 418, json: {} }, 502, 'UPSTREAM_ERROR'],
  ['a fault', { status: 503, text: '<html>', headers: { 'retry-after': '7' } }, 502, 'UPSTREAM_ERROR'],
  ['an error under 200', envelope('10010', 200), 403, 'FORBIDDEN'],
  ['another place', { status: 302, headers: { location: '/v2/elsewhere' } }, 502, 'UPSTREAM_BAD_RESPONSE'],
  ['a connection that is closed', hangUp, 503, 'UPSTREAM_UNAVAILABLE'],
  ['an error body that breaks off', brokenOff, 503, 'UPSTREAM_UNAVAILABLE'],
  ['silence', hang, 504, 'UPSTREAM_TIMEOUT'],
  ['nothing but signs of life', processing, 504, 'UPSTREAM_TIMEOUT'],
  ['an error body that never ends', stall('{', { status: 500 }), 504, 'UPSTREAM_TIMEOUT'],
])('reports %s before the first byte', async ([, reply, status, code], { startWith, upstream }) => {
  const gateway = await startWith(code === 'UPSTREAM_TIMEOUT' ? hasty : {});
  upstream.script(() => reply);
  const response = await ask(gateway, october);
  expect([response.status, response.headers.get('retry-after')]).toEqual([status, status === 429 ? '7' : null]);
  const text = await response.text();
  const requestId = response.headers.get('x-request-id');
  const retryable = status === 429 || status > 502 || reply.status === 503;
  const extensions = { code, retryable, requestId, upstream: { operation: 'GET /charges_breakdown' } };
  expect(JSON.parse(text).errors).toMatchObject([{ extensions }]);
  expect(text).not.toMatch(/127\.0\.0\.1|ECONN|socket/);
  expect(upstream.requests).toHaveLength(1);
  await expect.poll(() => gateway.log.at(-1)).toContain(`"errorCodes":["${code}"]`);
});

const breaksOff: Reply = {
  act: (res) => void res.writeHead(200, csv.headers).write('tn,cost\n', () => setImmediate(() => res.destroy())),
};
test.for([
  ['breaks off', breaksOff, 'UPSTREAM_UNAVAILABLE'],
  ['falls silent', stall('tn,cost\n', csv), 'UPSTREAM_TIMEOUT'],
] as const)('cuts an export off where the report %s half-way', async ([, reply, code], { startWith, upstream }) => {
  const gateway = await startWith(code === 'UPSTREAM_TIMEOUT' ? hasty : {});
  upstream.script(() => reply);
  const response = await ask(gateway, october);
  expect(response.status).toBe(200);
  await expect(response.text()).rejects.toThrow('terminated');
  await expect.poll(() => gateway.log.length).toBe(1);
  expect(JSON.parse(gateway.log[0] ?? '')).toMatchObject({ errorCodes: [code], aborted: true, upstreamCalls: 1 });
});

test('ends the upstream call when its client leaves half-way', async ({ gateway, upstream }) => {
  const { reply, left } = watched(stall('tn,cost\n', csv));
  upstream.script(() => reply);
  const leaving = new AbortController();
  const response = await gateway.fetch(october, { headers: { authorization }, signal: leaving.signal });
  const reading = response.text();
  leaving.abort();
  await expect(reading).rejects.toThrow('abort');
  await left;
  await expect.poll(() => gateway.log.length).toBe(1);
  const line = JSON.parse(gateway.log[0] ?? '');
  expect(line).toMatchObject({ status: 200, aborted: true });
  expect(line).not.toHaveProperty('errorCodes');
});

test('has no more listeners than Node takes for a leak', async ({ gateway, upstream }) => {
  const { reply, left } = watched(stall('tn,cost\n', csv));
  upstream.script(() => reply);
  const warnings: string[] = [];
  const note = ({ name }: Error): void => void warnings.push(name);
  process.on('warning', note);
  const response = await ask(gateway, october);
  await response.body?.cancel();
  await left;
  process.off('warning', note);
  expect(warnings).not.toContain('MaxListenersExceededWarning');
});
