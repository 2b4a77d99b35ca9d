import { describe } from 'vitest';
import { variableErrors } from '../../../src/graphql/execution/variable-values.ts';
import { errorsPerCoordinate } from '../../../src/http/response/error-response.ts';
import { errorsPerResponse } from '../../../src/bounds.ts';
import { subscribe } from '../../support/streams.ts';
import { expect, judge, test, type Gateway } from '../../support/gateway.ts';
import * as records from '../../support/records.ts';
import { pageReply } from '../../support/scripted-upstream.ts';

interface Reported {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly extensions: Readonly<Record<string, unknown>>;
}

interface Part {
  readonly data?: unknown;
  readonly errors?: readonly Reported[];
  readonly incremental?: readonly Part[];
}

/** The text and the errors of the response to one request, in any number of pieces. */
async function partsOf(gateway: Gateway, body: object, headers: Readonly<Record<string, string>> = {}) {
  const response = await gateway.fetch('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer test-key', ...headers },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  const parts = [...text.matchAll(/^(\{.*\})\r?$/gm)].map(([, json = '']) => JSON.parse(json) as Part);
  return {
    text,
    errors: parts.flatMap((part) => [part, ...(part.incremental ?? [])]).flatMap((part) => part.errors ?? []),
  };
}

/** The number of unreported errors that a message gives; 0 where it gives none. */
function restOf({ message = '' }: Partial<Reported> = {}): number {
  return Number(/\((\d+) more errors? of [\w. ]+ (?:is|are) not reported/.exec(message)?.[1] ?? 0);
}

const badIds = Array.from({ length: 500 }, (_, index) => `bad-${index}`);
const manyNodes = `query ($ids: [ID!]!) { ${Array.from({ length: 39 }, (_, index) => `a${index}: nodes(nodeIds: $ids) { nodeId }`).join(' ')} }`;
describe('19,500 bad identifiers in 3 KiB', () => {
  test('are reported as a hundred errors, and the last counts the rest', async ({ startWith, upstream }) => {
    const whole = 39 * badIds.length;
    for (const options of [{}, judge]) {
      const gateway = await startWith({}, options);
      // The second request takes the fast path.
      for (let run = 0; run < 2; run++) {
        const { data, errors, text } = await gateway.query(manyNodes, { variables: { ids: badIds }, key: null });
        expect(errors).toHaveLength(errorsPerResponse);
        expect(restOf(errors.at(-1))).toBe(whole - errorsPerResponse);
        expect(errors.map(({ path }) => path)).toEqual(
          badIds.slice(0, errorsPerResponse).map((_, index) => ['a0', index]),
        );
        expect(Object.values(data as object)).toEqual(Array(39).fill(Array(500).fill(null)));
        expect(text.length).toBeLessThan(256 * 1024);
      }
    }
    expect(upstream.requests).toEqual([]);
  });
});

describe('values that the schema cannot represent', () => {
  const rows = Array.from({ length: 500 }, (_, index) =>
    records.missionRecord({ mission_id: `m${index}`, created_at: 7, name: ['no', 'text'] }),
  );
  test('are reported twenty times a field, on every path', async ({ startWith, upstream }) => {
    upstream.script((request) => pageReply(rows, request, 1_000));
    const query = '{ missions(first: 500) { nodes { id a: createdAt b: createdAt name } } }';
    const deferred =
      '{ __typename ... @defer { missions(first: 500) { nodes { id a: createdAt b: createdAt name } } } }';
    const answers: (readonly Reported[])[] = [];
    for (const options of [{}, judge]) {
      const gateway = await startWith({}, options);
      answers.push((await gateway.query(query)).errors);
      answers.push((await partsOf(gateway, { query: deferred }, { accept: 'multipart/mixed' })).errors);
    }
    for (const errors of answers) {
      for (const [field, wireName, most] of [
        ['createdAt', 'created_at', 1_000],
        ['name', 'name', 500],
      ] as const) {
        const own = errors.filter(({ message }) => message.includes(`for ${wireName}:`));
        expect(own).toHaveLength(errorsPerCoordinate);
        expect(own.slice(0, -1).map(restOf)).toEqual(Array(errorsPerCoordinate - 1).fill(0));
        const rest = most - errorsPerCoordinate;
        expect(own.at(-1)?.message).toContain(`(${rest} more errors of Mission.${field} are not reported`);
      }
      expect(errors).toHaveLength(2 * errorsPerCoordinate);
      expect(errors.map(({ path }) => path)).toEqual(answers[0]?.map(({ path }) => path));
    }
  });

  test('share the hundred errors of a response', async ({ gateway, upstream }) => {
    const names = [
      'active',
      'anchorsite_override',
      'transport_protocol',
      'dtmf_type',
      'encrypted_media',
      'webhook_api_version',
      'created_at',
    ];
    const bad = Object.fromEntries(names.map((name) => [name, { not: 'so' }]));
    upstream.script((request) =>
      pageReply(
        Array.from({ length: 100 }, (_, index) => ({ id: `c${index}`, ...bad })),
        request,
      ),
    );
    const fields = 'active anchorsiteOverride transportProtocol dtmfType encryptedMedia webhookApiVersion createdAt';
    const { errors } = await gateway.query(`{ ipConnections(first: 100) { nodes { ${fields} } } }`);
    expect(errors).toHaveLength(errorsPerResponse);
    expect(restOf(errors.at(-1))).toBe(700 - errorsPerResponse);
  });
});

test('errors stand in the order of the data, whichever call failed first', async ({ startWith, upstream }) => {
  const connections = Array.from({ length: 12 }, (_, index) => ({
    id: `c${index}`,
    webhook_event_url: `https://hooks.example.com/${String.fromCharCode(97 + index)}`,
  }));
  const waiting: (() => void)[] = [];
  upstream.script((request) => {
    if (request.path === '/ip_connections') return pageReply(connections, request);
    // All calls run side by side, and the last one gets its response first.
    return new Promise((resolve) => {
      waiting.push(() => resolve({ status: 500, text: 'oops' }));
      if (waiting.length === connections.length) for (const answer of waiting.splice(0).toReversed()) answer();
    });
  });
  const query = '{ ipConnections(first: 12) { nodes { b: webhookDeliveries { nodes { id } } } } }';
  for (const options of [{}, judge]) {
    const gateway = await startWith({}, options);
    const { errors } = await gateway.query(query);
    expect(errors.map(({ path }) => path)).toEqual(
      connections.map((_, index) => ['ipConnections', 'nodes', index, 'b']),
    );
  }
});

describe('an upstream response with ten thousand errors', () => {
  const errors = Array.from({ length: 10_000 }, (_, index) => ({ code: '10015', detail: `fault ${index}` }));

  test('is reported as a hundred errors, in GraphQL and outside of it', async ({ gateway, upstream }) => {
    upstream.script(() => ({ status: 400, json: { errors } }));
    const answer = await gateway.query(
      '{ chargesSummary(startDate: "2026-10-01", endDate: "2026-11-01") { currency } }',
    );
    const report = await gateway.fetch('/exports/charges-breakdown.csv?startDate=2026-10-01', {
      headers: { authorization: 'Bearer test-key' },
    });
    expect(report.status).toBe(400);
    const { errors: errorsOfReport } = (await report.json()) as Part;
    for (const reported of [answer.errors, errorsOfReport]) {
      expect(reported).toHaveLength(errorsPerResponse);
      expect(reported?.[0]?.message).toBe('fault 0');
      expect(reported?.at(-1)?.message).toBe('fault 99 (9900 more errors of this response are not reported.)');
    }
  });
});

test('each event of a stream reports its own errors', async ({ startWith, upstream }) => {
  const gateway = await startWith({ SUBSCRIPTION_POLL_MS: '5' });
  const attempts = Array.from({ length: 150 }, () => ({ status: 7, started_at: 'never' }));
  const deliveries: object[] = [];
  upstream.script((request) => pageReply(deliveries, request));
  const stream = await subscribe(gateway, 'subscription { webhookDeliveries { id attempts { status startedAt } } }');
  await stream.begun;
  for (const second of [1, 2, 3])
    deliveries.unshift({ id: `d${second}`, started_at: `2026-11-01T00:00:0${second}Z`, attempts });
  await expect.poll(() => stream.events.length).toBe(3);
  stream.close();
  for (const { data } of stream.events) {
    expect(data.errors).toHaveLength(2 * errorsPerCoordinate);
    const rests = (data.errors as readonly Reported[]).map(restOf);
    expect(rests.filter((rest) => rest > 0)).toEqual([130, 130]);
  }
});

describe('variables that do not fit', () => {
  const withFilter = 'query ($filter: IpConnectionFilter) { ipConnections(filter: $filter) { totalCount } }';
  const unknown = Object.fromEntries(Array.from({ length: 40_000 }, (_, index) => [`unknown${index}`, 'x'.repeat(5)]));

  test('are reported as the first ten errors', async ({ startWith, upstream }) => {
    for (const options of [{}, judge]) {
      const gateway = await startWith({}, options);
      for (const accept of ['application/json', 'multipart/mixed', 'text/event-stream']) {
        for (const query of [withFilter, `${withFilter.slice(0, -2)} ... @defer { missions { totalCount } } }`]) {
          const { errors, text } = await partsOf(gateway, { query, variables: { filter: unknown } }, { accept });
          if (accept === 'application/json') {
            expect(errors).toHaveLength(variableErrors);
            expect(errors[0]?.message).toMatch(
              /^Variable "\$filter" got invalid value \{ unknown0: .*; Field "unknown0" is not defined by type "IpConnectionFilter"\.$/,
            );
            expect(errors.at(-1)?.message).toContain('(What follows has not been looked at.)');
          }
          expect(text).toContain('Field \\"unknown9\\"');
          expect(text).not.toContain('Field \\"unknown10\\"');
          expect(text.length).toBeLessThan(8 * 1024);
        }
      }
    }
    expect(upstream.requests).toEqual([]);
  });
});
