import { describe } from 'vitest';
import { subscribe, type EventStream } from './support/event-stream.ts';
import { expect, test, type Gateway } from './support/gateway.ts';
import { GrowingDeliveries } from './support/growing-deliveries.ts';
import { attemptRecord, ipConnectionRecord, type JsonRecord } from './support/records.ts';
import { pageReply, type Reply, type ScriptedUpstream, type SeenRequest } from './support/scripted-upstream.ts';

const quick = { SUBSCRIPTION_POLL_MS: '5' };
// No poll comes while the test lasts, but for the first.
const still = { SUBSCRIPTION_POLL_MS: '600000' };
const all = 'subscription { webhookDeliveries { id } }';
const failed = 'subscription { webhookDeliveries(filter: { status: { eq: "failed" } }) { id } }';

const idsOf = ({ events }: EventStream): readonly unknown[] =>
  events.filter(({ data }) => data?.data != null).map(({ data }) => data.data.webhookDeliveries.id);
const errorsOf = ({ events }: EventStream): readonly unknown[] => events.flatMap(({ data }) => data?.errors ?? []);
const seconds = (from: number, count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => from + index / 1000);

/** An upstream with deliveries to which more come. */
function growing(upstream: ScriptedUpstream): GrowingDeliveries {
  const deliveries = new GrowingDeliveries();
  deliveries.add([1, 2, 3]);
  upstream.script(deliveries.answer);
  return deliveries;
}

/** Waits until the upstream has been asked as often again. */
async function polls(upstream: ScriptedUpstream, count: number): Promise<void> {
  const before = upstream.requests.length;
  await expect.poll(() => upstream.requests.length).toBeGreaterThanOrEqual(before + count);
}

describe('a stream', () => {
  test('brings what appears from its beginning on, each once, oldest first', async ({ startWith, upstream }) => {
    const deliveries = growing(upstream);
    const stream = await subscribe(await startWith(quick), all, { headers: { 'x-request-id': 'id-1' } });
    expect(stream.status).toBe(200);
    expect(stream.headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(stream.headers.get('x-request-id')).toBe('id-1');
    const first = deliveries.add([4]);
    await expect.poll(() => idsOf(stream)).toEqual(first);
    expect(stream.events).toEqual([{ name: 'next', data: { data: { webhookDeliveries: { id: first[0] } } } }]);
    const second = deliveries.add([4.001, 5, 6.5]);
    await expect.poll(() => idsOf(stream)).toEqual([...first, ...second]);
    await polls(upstream, 5);
    expect(idsOf(stream)).toHaveLength(4);
    stream.close();
  });

  test('loses none of a burst of several pages, and none that come while it is read', async ({
    startWith,
    upstream,
  }) => {
    const deliveries = growing(upstream);
    const stream = await subscribe(await startWith(quick), all);
    const sent = [...deliveries.add(seconds(10, 1_100))];
    upstream.script((request) => {
      if (sent.length < 1_150) sent.push(...deliveries.add(seconds(20 + sent.length, 5)));
      return deliveries.answer(request);
    });
    await expect.poll(() => idsOf(stream).length).toBe(1_150);
    expect(idsOf(stream)).toEqual(sent);
    stream.close();
  });

  test('brings those that began at one moment, and those that appear late', async ({ startWith, upstream }) => {
    const deliveries = growing(upstream);
    const stream = await subscribe(await startWith(quick), all);
    const sent = [...deliveries.add([100, 100, 100])];
    await expect.poll(() => idsOf(stream)).toEqual(sent);
    sent.push(...deliveries.add([100, 100]));
    await expect.poll(() => idsOf(stream)).toEqual(sent);
    sent.push(...deliveries.add([41, 70, 99.999]));
    await expect.poll(() => idsOf(stream)).toEqual(sent);
    // Beyond the overlap.
    deliveries.add([39]);
    await polls(upstream, 5);
    expect(idsOf(stream)).toEqual(sent);
    stream.close();
  });

  test('begins with a list that is empty', async ({ startWith, upstream }) => {
    const deliveries = new GrowingDeliveries();
    upstream.script(deliveries.answer);
    const stream = await subscribe(await startWith(quick), all);
    await polls(upstream, 3);
    const sent = deliveries.add([1, 2]);
    await expect.poll(() => idsOf(stream)).toEqual(sent);
    stream.close();
  });

  test('answers all fields of a delivery, relations by calls of its own, secrets redacted', async ({
    startWith,
    upstream,
  }) => {
    const gateway = await startWith(quick);
    const deliveries = growing(upstream);
    upstream.script((request) =>
      request.path === '/ip_connections' ? pageReply([ipConnectionRecord()], request) : deliveries.answer(request),
    );
    const attempt = attemptRecord() as { http: { request: JsonRecord } };
    const headers = [['X-Api-Key', 'hush']];
    const http = { ...attempt.http, request: { ...attempt.http.request, headers } };
    const stream = await subscribe(
      gateway,
      `subscription Live($filter: WebhookDeliveryFilter) {
        live: webhookDeliveries(filter: $filter) {
          nodeId webhook { payload } ipConnection { connectionName }
          attempts { http { request { headers { name value } } } }
        }
      }`,
      { variables: { filter: { eventType: ['call_initiated'] } } },
    );
    deliveries.add([10, 11], { attempts: [{ ...attempt, http }] });
    await expect.poll(() => stream.events).toHaveLength(2);
    for (const { data } of stream.events)
      expect(data).toEqual({
        data: {
          live: {
            nodeId: expect.any(String),
            webhook: { payload: { call_id: 'v3:abc', direction: 'incoming' } },
            ipConnection: { connectionName: 'Head office' },
            attempts: [{ http: { request: { headers: [{ name: 'X-Api-Key', value: '[redacted]' }] } } }],
          },
        },
      });
    // Each event looks anew: what is true of one need not be of the next.
    expect(upstream.requests.filter(({ path }) => path === '/ip_connections')).toHaveLength(2);
    expect(
      upstream.requests.every(
        ({ query }) => query['filter[event_type]'] === 'call_initiated' || query['page[size]'] === '250',
      ),
    ).toBe(true);
    stream.close();
    await expect.poll(() => gateway.log.some((line) => line.includes('"endpoint":"/graphql (stream)"'))).toBe(true);
    const line = JSON.parse(gateway.log.find((text) => text.includes('(stream)')) ?? '{}');
    expect(line).toMatchObject({ status: 200, operationName: 'Live', upstreamCalls: 2, aborted: true });
  });

  test('words what fails in one event there, and goes on', async ({ startWith, upstream }) => {
    const deliveries = growing(upstream);
    const stream = await subscribe(await startWith(quick), 'subscription { webhookDeliveries { id status } }', {
      headers: { 'x-request-id': 'id-7' },
    });
    const [bad] = deliveries.add([10], { status: 7 });
    deliveries.add([11]);
    await expect.poll(() => stream.events).toHaveLength(2);
    expect(stream.events[0]?.data).toMatchObject({
      data: { webhookDeliveries: { id: bad, status: null } },
      errors: [
        { path: ['webhookDeliveries', 'status'], extensions: { code: 'UPSTREAM_BAD_RESPONSE', requestId: 'id-7' } },
      ],
    });
    expect(stream.events[1]?.data).not.toHaveProperty('errors');
    stream.close();
  });
});

describe('the filter', () => {
  const filters: readonly (readonly [filter: string, query: Readonly<Record<string, string>>])[] = [
    ['{ status: { eq: "failed" } }', { 'filter[status][eq]': 'failed' }],
    ['{ eventType: ["call_initiated", "fax_received"] }', { 'filter[event_type]': 'call_initiated,fax_received' }],
    ['{ webhook: { contains: "a&b" } }', { 'filter[webhook][contains]': 'a&b' }],
    ['{ attempts: { contains: "hooks" } }', { 'filter[attempts][contains]': 'hooks' }],
    ['{ startedAt: { lte: "2027-01-01T00:00:00Z" } }', { 'filter[started_at][lte]': '2027-01-01T00:00:00Z' }],
    [
      '{ finishedAt: { gte: "2026-01-01T00:00:00Z", lte: "2027-01-01T00:00:00Z" } }',
      { 'filter[finished_at][gte]': '2026-01-01T00:00:00Z', 'filter[finished_at][lte]': '2027-01-01T00:00:00Z' },
    ],
  ];

  test.for(filters)('%s goes with every poll', async ([filter, query], { startWith, upstream }) => {
    const deliveries = growing(upstream);
    const stream = await subscribe(
      await startWith(quick),
      `subscription { webhookDeliveries(filter: ${filter}) { id } }`,
    );
    const [id] = deliveries.add([10], { status: 'failed' });
    await expect.poll(() => idsOf(stream)).toEqual([id]);
    for (const request of upstream.requests) expect(request.query).toMatchObject(query);
    expect(upstream.requests.at(-1)?.query['filter[started_at][gte]']).toMatch(/^2026-/);
    stream.close();
  });

  test('on when deliveries began is the bound where it is the later one', async ({ startWith, upstream }) => {
    const deliveries = growing(upstream);
    const from = '2026-10-01T00:00:02.500000000Z';
    const stream = await subscribe(
      await startWith(quick),
      `subscription { webhookDeliveries(filter: { startedAt: { gte: "${from}" } }) { id } }`,
    );
    deliveries.add([2.4]);
    const sent = [...deliveries.add([2.6, 50])];
    await expect.poll(() => idsOf(stream)).toEqual(sent);
    for (const { query } of upstream.requests) expect(query['filter[started_at][gte]']).toBe(from);
    sent.push(...deliveries.add([100]));
    await expect
      .poll(() => upstream.requests.at(-1)?.query['filter[started_at][gte]'])
      .toBe('2026-10-01T00:00:40.000Z');
    expect(idsOf(stream)).toEqual(sent);
    stream.close();
  });
});

describe('polling', () => {
  test('is one call each time for all streams, and ends with the last of them', async ({ startWith, upstream }) => {
    const deliveries = growing(upstream);
    const gateway = await startWith({ SUBSCRIPTION_POLL_MS: '500' });
    const streams = await Promise.all(Array.from({ length: 50 }, () => subscribe(gateway, all)));
    const started = performance.now();
    const before = upstream.requests.length;
    const [id] = deliveries.add([10]);
    for (const stream of streams) await expect.poll(() => idsOf(stream)).toEqual([id]);
    const intervals = Math.ceil((performance.now() - started) / 500);
    expect(upstream.requests.length - before).toBeLessThanOrEqual(intervals + 1);
    for (const stream of streams.slice(1)) stream.close();
    const [second] = deliveries.add([11]);
    await expect.poll(() => idsOf(streams[0] as EventStream)).toEqual([id, second]);
    streams[0]?.close();
    await expect.poll(() => ended(gateway)).toBe(50);
    expect(await openIn(gateway)).toEqual({ streams: 0, lists: 0 });
  });

  test('begins by GET too', async ({ startWith, upstream }) => {
    const deliveries = growing(upstream);
    const gateway = await startWith(quick);
    const headers = { accept: 'text/event-stream', authorization: 'Bearer test-key' };
    const { body, status } = await gateway.fetch(`/graphql?query=${encodeURIComponent(all)}`, { headers });
    expect(status).toBe(200);
    const [id] = deliveries.add([10]);
    let text = '';
    for await (const chunk of (body as NonNullable<Response['body']>).pipeThrough(new TextDecoderStream())) {
      text += chunk;
      if (text.includes('event: next')) break;
    }
    expect(text).toContain(`data: {"data":{"webhookDeliveries":{"id":"${id}"}}}`);
    await expect.poll(() => openIn(gateway)).toEqual({ streams: 0, lists: 0 });
  });

  test('asks for what is new alone, once in a while', async ({ startWith, upstream }) => {
    growing(upstream);
    const stream = await subscribe(await startWith(still), all);
    expect(upstream.requests.map(({ rawQuery }) => rawQuery)).toEqual(['page[number]=1&page[size]=250']);
    stream.close();
  });

  test('is never shared between callers, of whom each sees their own', async ({ startWith, upstream }) => {
    const own = new Map(['key-a', 'key-b'].map((key) => [`Bearer ${key}`, new GrowingDeliveries()]));
    upstream.script((request) => own.get(String(request.headers.authorization))?.answer(request) ?? { status: 401 });
    const gateway = await startWith(quick);
    const [a, b] = await Promise.all(['key-a', 'key-b'].map((key) => subscribe(gateway, all, { key })));
    const ofA = own.get('Bearer key-a')?.add([1], { status: 'of a' });
    await expect.poll(() => idsOf(a as EventStream)).toEqual(ofA);
    const ofB = own.get('Bearer key-b')?.add([1, 2, 3]);
    await expect.poll(() => idsOf(b as EventStream)).toEqual(ofB);
    expect(idsOf(a as EventStream)).toEqual(ofA);
    a?.close();
    b?.close();
  });

  test('is not shared between filters, and is where they say the same', async ({ startWith, upstream }) => {
    const deliveries = growing(upstream);
    const gateway = await startWith(still);
    const variable = 'subscription($f: WebhookDeliveryFilter) { webhookDeliveries(filter: $f) { id status } }';
    const streams = [
      await subscribe(gateway, all),
      await subscribe(gateway, failed),
      await subscribe(gateway, variable, { variables: { f: { status: { eq: 'failed' }, webhook: null } } }),
      await subscribe(gateway, variable, { variables: { f: {} } }),
    ];
    deliveries.add([10]);
    expect(upstream.requests.map(({ query }) => query['filter[status][eq]'])).toEqual([undefined, 'failed']);
    for (const stream of streams) stream.close();
  });
});

/** What the metrics tell of streams. */
async function openIn(gateway: Gateway): Promise<{ readonly streams: number; readonly lists: number }> {
  const text = await (await gateway.fetch('/metrics')).text();
  const valueOf = (name: string): number => Number(new RegExp(`^switchboard_${name} (\\d+)$`, 'm').exec(text)?.[1]);
  return { streams: valueOf('streams'), lists: valueOf('polled_lists') };
}

const ended = ({ log }: Gateway): number => log.filter((line) => line.includes('(stream)')).length;

const envelope = (code: string): Reply['json'] => ({ errors: [{ code, title: 'A title', detail: 'A detail.' }] });

describe('a failure of the upstream', () => {
  const passing: readonly (readonly [name: string, reply: Reply])[] = [
    ['500', { status: 500, json: envelope('10007') }],
    ['502 with HTML', { status: 502, text: '<html>' }],
    ['a broken connection', { act: (res) => res.destroy() }],
    ['429', { status: 429, text: '' }],
  ];

  test.for(passing)(
    'that passes (%s) is waited out, and nothing is lost',
    async ([, reply], { startWith, upstream }) => {
      const deliveries = growing(upstream);
      const stream = await subscribe(await startWith({ ...quick, UPSTREAM_BREAKER_OPEN_MS: '1' }), all);
      const sent = [...deliveries.add([10])];
      await expect.poll(() => idsOf(stream)).toEqual(sent);
      upstream.script(() => reply);
      await polls(upstream, 2);
      sent.push(...deliveries.add(seconds(100, 700)));
      await polls(upstream, 1);
      sent.push(...deliveries.add([200]));
      upstream.script(deliveries.answer);
      await expect.poll(() => idsOf(stream), { timeout: 10_000 }).toEqual(sent);
      expect(errorsOf(stream)).toEqual([]);
      stream.close();
    },
  );

  test('that names a wait is not asked again before', async ({ startWith, upstream }) => {
    const deliveries = growing(upstream);
    const stream = await subscribe(await startWith(quick), all);
    const times: number[] = [];
    upstream.script(() => {
      times.push(performance.now());
      return times.length > 1
        ? deliveries.answer(upstream.requests.at(-1) as SeenRequest)
        : { status: 429, headers: { 'retry-after': '1' } };
    });
    const sent = deliveries.add([10]);
    await expect.poll(() => idsOf(stream), { timeout: 5_000 }).toEqual(sent);
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(1_000);
    stream.close();
  });

  const final: readonly (readonly [code: string, reply: Reply])[] = [
    ['UNAUTHENTICATED', { status: 401, json: envelope('10009') }],
    ['FORBIDDEN', { status: 403, json: envelope('10010') }],
    ['BAD_USER_INPUT', { status: 400, json: envelope('10015') }],
    ['UPSTREAM_BAD_RESPONSE', { json: { data: 7 } }],
  ];

  test.for(final)('that does not (%s) ends all streams with it', async ([code, reply], { startWith, upstream }) => {
    const deliveries = growing(upstream);
    const gateway = await startWith(quick);
    const streams = await Promise.all([subscribe(gateway, all), subscribe(gateway, all)]);
    const [id] = deliveries.add([10]);
    for (const stream of streams) await expect.poll(() => idsOf(stream)).toEqual([id]);
    upstream.script(() => reply);
    for (const stream of streams) {
      await stream.ended;
      expect(stream.events.slice(1)).toEqual([
        {
          name: 'next',
          data: {
            data: null,
            errors: [
              expect.objectContaining({
                path: ['webhookDeliveries'],
                locations: [{ line: 1, column: 16 }],
                extensions: expect.objectContaining({
                  code,
                  retryable: false,
                  requestId: stream.headers.get('x-request-id'),
                  upstream: expect.objectContaining({ operation: 'GET /webhook_deliveries' }),
                }),
              }),
            ],
          },
        },
        { name: 'complete', data: null },
      ]);
    }
    await expect.poll(() => ended(gateway)).toBe(2);
    expect(JSON.parse(gateway.log.find((line) => line.includes('(stream)')) ?? '{}')).toMatchObject({
      status: 200,
      errorCodes: [code],
    });
    const asked = upstream.requests.length;
    upstream.script(deliveries.answer);
    const again = await subscribe(gateway, all);
    expect(upstream.requests.length).toBeGreaterThan(asked);
    again.close();
  });

  test.for(final)(
    'at the beginning (%s) is told, and there is no stream',
    async ([code, reply], { startWith, upstream }) => {
      upstream.script(() => reply);
      const stream = await subscribe(await startWith(quick), all);
      await stream.ended;
      expect(stream.status).toBe(200);
      expect(stream.events).toMatchObject([
        { name: 'next', data: { errors: [{ path: ['webhookDeliveries'], extensions: { code } }] } },
        { name: 'complete' },
      ]);
      expect(upstream.requests).toHaveLength(1);
    },
  );
});

describe('a request', () => {
  test.for<[what: string, query: string, key: string | null, extensions: object]>([
    ['without a key', all, null, { code: 'UNAUTHENTICATED' }],
    [
      'with a date that does not exist',
      'subscription { webhookDeliveries(filter: { startedAt: { gte: "2026-02-30T00:00:00Z" } }) { id } }',
      'a-key',
      { code: 'BAD_USER_INPUT', argument: ['filter', 'startedAt', 'gte'] },
    ],
    [
      'with an empty list of types',
      'subscription { webhookDeliveries(filter: { eventType: [] }) { id } }',
      'a-key',
      { code: 'BAD_USER_INPUT', argument: ['filter', 'eventType'] },
    ],
  ])('%s is refused without a call', async ([, query, key, extensions], { gateway, upstream }) => {
    const stream = await subscribe(gateway, query, { key });
    await stream.ended;
    expect(errorsOf(stream)).toMatchObject([{ path: ['webhookDeliveries'], extensions }]);
    expect(stream.events.at(-1)?.name).toBe('complete');
    expect(upstream.requests).toEqual([]);
  });

  test('beyond the cost limit is refused without a call', async ({ startWith, upstream }) => {
    const stream = await subscribe(await startWith({ LIMIT_COST: '1' }), all);
    await stream.ended;
    expect(errorsOf(stream)).toMatchObject([{ extensions: { code: 'QUERY_TOO_COMPLEX', limit: 1, actual: 2 } }]);
    expect(upstream.requests).toEqual([]);
  });

  test('that takes JSON alone is refused, with a status where the type has one', async ({ gateway, upstream }) => {
    growing(upstream);
    const ask = (accept: string, key: string | null = 'a-key') =>
      gateway.fetch('/graphql', {
        method: 'POST',
        headers: {
          accept,
          'content-type': 'application/json',
          ...(key !== null && { authorization: `Bearer ${key}` }),
        },
        body: JSON.stringify({ query: all }),
      });
    const refused = await ask('application/json');
    expect(refused.status).toBe(406);
    expect(await refused.json()).toMatchObject({
      errors: [{ message: 'The answer can be had as text/event-stream.', extensions: { code: 'BAD_REQUEST' } }],
    });
    expect((await ask('application/graphql-response+json', null)).status).toBe(401);
    expect((await ask('application/json', null)).status).toBe(200);
    const asked = upstream.requests.length;
    await expect.poll(() => gateway.log.length).toBe(3);
    expect(upstream.requests.length).toBe(asked);
  });
});

describe('the limits', () => {
  test('keep the lists that are polled, and the streams, of one caller and of all', async ({ startWith, upstream }) => {
    growing(upstream);
    const gateway = await startWith({ ...still, SUBSCRIPTION_MAX_FEEDS: '5', SUBSCRIPTION_MAX_STREAMS: '12' });
    const other = 'subscription { webhookDeliveries(filter: { status: { eq: "other" } }) { id } }';
    const refusalOf = async (key: string, query: string): Promise<unknown> => {
      const stream = await subscribe(gateway, query, { key });
      await stream.ended;
      return errorsOf(stream)[0];
    };
    await subscribe(gateway, all, { key: 'key-a' });
    await subscribe(gateway, failed, { key: 'key-a' });
    expect(await refusalOf('key-a', other)).toMatchObject({
      message: expect.stringContaining('2 different filters'),
      extensions: { code: 'RATE_LIMITED', retryable: true },
    });
    await subscribe(gateway, all, { key: 'key-a' });
    expect(await refusalOf('key-a', all)).toMatchObject({ message: expect.stringContaining('3 streams') });
    for (const key of ['key-b', 'key-c', 'key-d']) await subscribe(gateway, all, { key });
    expect(await refusalOf('key-e', all)).toMatchObject({
      extensions: { code: 'UPSTREAM_UNAVAILABLE', retryable: true, retryAfterSeconds: 1 },
    });
    expect(await openIn(gateway)).toEqual({ streams: 6, lists: 5 });
    expect(upstream.requests).toHaveLength(5);
  });
});

test('a stop tells all streams and ends them', async ({ startWith, upstream }) => {
  growing(upstream);
  const gateway = await startWith(quick);
  const streams = await Promise.all([subscribe(gateway, all), subscribe(gateway, failed)]);
  const started = performance.now();
  await gateway.close();
  expect(performance.now() - started).toBeLessThan(2_000);
  for (const stream of streams) {
    await stream.ended;
    expect(stream.events).toMatchObject([
      { name: 'next', data: { errors: [{ extensions: { code: 'UPSTREAM_UNAVAILABLE', retryable: true } }] } },
      { name: 'complete' },
    ]);
  }
});

test('a reader who is too slow is told so, at the cost of nobody else', async ({ startWith, upstream }) => {
  const deliveries = growing(upstream);
  const gateway = await startWith({ ...quick, SUBSCRIPTION_BUFFER: '10' });
  const payload = { text: 'x'.repeat(200_000) };
  const heavy = 'subscription { webhookDeliveries { id webhook { payload } } }';
  const slow = await gateway.fetch('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream', authorization: 'Bearer test-key' },
    body: JSON.stringify({ query: heavy }),
  });
  const quickReader = await subscribe(gateway, all);
  const sent: string[] = [];
  // Each time beyond the overlap of the one before, so that polls stay small.
  for (let second = 1_000; (await openIn(gateway)).streams === 2 && second < 50_000; second += 1_000) {
    sent.push(...deliveries.add(seconds(second, 20), { webhook: { payload } }));
    await expect.poll(() => idsOf(quickReader), { timeout: 10_000 }).toEqual(sent);
  }
  const text = await slow.text();
  expect(text).toMatch(/"code":"QUERY_TOO_COMPLEX"[^\n]*\n\nevent: complete\ndata:\n\n$/);
  expect(text.length).toBeLessThan(sent.length * 200_000);
  await expect.poll(() => idsOf(quickReader)).toEqual(sent);
  quickReader.close();
});
