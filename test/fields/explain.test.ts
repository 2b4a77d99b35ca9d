import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test, type Gateway } from '../support/gateway.ts';
import { waysOf } from '../paths/every-path.ts';
import * as records from '../support/records.ts';
import { HeldReplies, pageReply } from '../support/scripted-upstream.ts';

const explained = { headers: { 'x-explain': '1' } };

async function explain(gateway: Gateway, document: string, options: object = explained) {
  const answer = await gateway.query(document, options);
  return { ...answer, explain: JSON.parse(answer.text).extensions?.explain };
}

const mission = records.missionRecord({ mission_id: 'm' });
const allowed = { EXPLAIN: 'true' };

describe('the calls of an operation', () => {
  test('are listed once each, also where several fields share one', async ({ startWith, upstream }) => {
    const gateway = await startWith(allowed);
    upstream.script((request) => pageReply([mission], request, 1_000));
    const { explain: calls } = await explain(
      gateway,
      '{ one: missions(first: 5) { nodes { id } } two: missions(first: 5) { totalCount nodes { id } } }',
    );
    const [bytes, startMilliseconds, milliseconds] = Array(3).fill(expect.any(Number));
    const query = 'page[number]=1&page[size]=5';
    const made = { origin: 'own', operation: 'GET /ai/missions', query, status: 200, retries: 0 };
    expect(calls).toEqual([
      {
        ...made,
        bytes,
        startMilliseconds,
        milliseconds,
        curl: `curl -g -H 'Authorization: Bearer '$API_KEY -H 'Accept: application/json' $UPSTREAM_BASE_URL'/ai/missions?page[number]=1&page[size]=5'`,
      },
    ]);
    expect(upstream.requests).toHaveLength(1);
  });

  test('have a curl line that a shell runs as it stands in the JSON', async ({ startWith, upstream }) => {
    const gateway = await startWith(allowed);
    upstream.script((request) => pageReply([], request, 250));
    const document = `{ ipConnections(filter: { connectionName: { contains: "O'Brien \\"& Söhne\\" $HOME \\\\" } }) { nodes { id } } }`;
    const { text } = await explain(gateway, document);
    const [, line = ''] = /"curl":"(curl [^"]*)"/.exec(text) ?? [];
    const env = { ...process.env, API_KEY: 'test-key-1._~+/=', UPSTREAM_BASE_URL: upstream.baseUrl };
    await promisify(execFile)('sh', ['-c', line], { env });
    const [asked, again] = upstream.requests;
    expect(again?.path).toBe('/ip_connections');
    expect(again?.query).toEqual(asked?.query);
    expect(again?.headers.authorization).toBe('Bearer test-key-1._~+/=');
  });

  test('are listed with their failures and retries', async ({ startWith, upstream }) => {
    const gateway = await startWith({ ...allowed, UPSTREAM_RETRIES: '2' });
    upstream.script(({ path }) =>
      path === '/ai/missions' ? { status: 503, text: 'busy' } : { status: 403, json: { errors: [{ code: '10010' }] } },
    );
    const { explain: calls } = await explain(gateway, '{ missions { totalCount } ipConnections { totalCount } }');
    const failed = [
      { operation: 'GET /ai/missions', status: 503, retries: 2, bytes: null },
      { operation: 'GET /ip_connections', status: 403, retries: 0, bytes: null },
    ];
    expect(calls).toMatchObject(failed);
  });

  test('have no origin where the gateway refused to send them', async ({ startWith, upstream }) => {
    const gateway = await startWith({ ...allowed, UPSTREAM_MAX_CONCURRENCY: '1', UPSTREAM_QUEUE_SIZE: '0' });
    const document = '{ missions { totalCount } }';
    upstream.script(() => ({ status: 429, headers: { 'retry-after': '60' } }));
    const limited = [await explain(gateway, document), await explain(gateway, document)];
    expect(limited.map(({ explain: calls }) => calls)).toMatchObject([
      [{ origin: 'own', status: 429, retries: 0 }],
      [{ origin: null, status: null, retries: 0 }],
    ]);
    const held = new HeldReplies();
    upstream.script(() => held.reply);
    const first = explain(gateway, document, { ...explained, key: 'first' });
    await expect.poll(() => upstream.requests.length).toBe(2);
    const refused = await explain(gateway, document, { ...explained, key: 'second' });
    expect(refused.errors).toMatchObject([{ extensions: { code: 'UPSTREAM_UNAVAILABLE' } }]);
    expect(refused.explain).toMatchObject([{ origin: null, status: null, retries: 0 }]);
    held.release(200, { data: [], meta: { total_results: 0 } });
    expect((await first).explain).toMatchObject([{ origin: 'own', status: 200 }]);
    expect(upstream.requests).toHaveLength(2);
  });

  test('are the same, by the same path, as without the explanation', async ({ startWith, upstream }) => {
    const gateway = await startWith(allowed);
    upstream.script((request) => pageReply([mission], request, 1_000));
    const asked = async (document: string, headers: Readonly<Record<string, string>>) => {
      const before = await waysOf(gateway);
      const { data } = await gateway.query(document, { headers });
      const after = await waysOf(gateway);
      const ways = [after.bytes - before.bytes, after.compiled - before.compiled, after.general - before.general];
      return { data, ways, calls: upstream.requests.splice(0).map(({ rawQuery }) => rawQuery) };
    };
    for (const document of [
      '{ missions { nodes { id nodeId } } mission(id: "m") { name } }',
      '{ missions(first: 5) { nodes { id } } }',
    ])
      expect(await asked(document, explained.headers)).toEqual(await asked(document, {}));
  });

  describe('contain no key, even where an argument contains it', () => {
    // Its base64 has characters that a query string has percent-encoded.
    const key = '~~~~~a-long+secret/key~~~~~==';
    const base64 = Buffer.from(key).toString('base64');

    const spellings = [key, ...[key, base64].map(encodeURIComponent), Buffer.from(key).toString('base64url')];
    test.for(spellings)('as %s', async (fqdn, { startWith, upstream }) => {
      const gateway = await startWith(allowed);
      upstream.script(() => ({ json: { data: [], meta: { total_results: 0 } } }));
      const query = `{ ipConnections(filter: { fqdn: ${JSON.stringify(fqdn)} }) { nodes { id } } }`;
      const { text, explain: calls } = await explain(gateway, query, { ...explained, key });
      expect(calls).toHaveLength(1);
      expect(calls[0].curl).toContain('filter[fqdn]=[redacted]');
      expect(text).not.toMatch(/a-long|secret/);
      expect(decodeURIComponent(text)).not.toContain(base64.slice(4, 20));
      expect(text).not.toContain('127.0.0.1');
    });
  });
});

test('there is no explanation unasked, nor where EXPLAIN is off', async ({ gateway, startWith, upstream }) => {
  upstream.script((request) => pageReply([mission], request, 1_000));
  const open = await startWith(allowed);
  expect((await explain(open, '{ missions { totalCount } }', {})).explain).toBeUndefined();
  expect((await explain(gateway, '{ missions { totalCount } }')).explain).toBeUndefined();
});
