import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { getIntrospectionQuery } from 'graphql';
import { folderWriter } from '../../support/files.ts';
import { describe, expect, test, type Gateway } from '../../support/gateway.ts';
import { openSocket } from '../../support/streams.ts';
import { pageReply } from '../../support/scripted-upstream.ts';

const writeFolder = folderWriter();

const text = 'query Missions($first: Int = 1) { missions(first: $first) { totalCount } }';
const sha256 = createHash('sha256').update(text).digest('hex');
const two = 'query A { a: __typename } query B { b: __typename }';

function write(content: unknown): string {
  const name = 'a manifest.json';
  return join(writeFolder({ [name]: typeof content === 'string' ? content : JSON.stringify(content) }), name);
}
/** A pipe to which nobody writes, in a folder of its own. */
function makePipe(): string {
  const path = join(writeFolder({}), 'Pipe.graphql');
  execFileSync('mkfifo', [path]);
  return path;
}
const apollo = (operations: unknown) => ({ format: 'apollo-persisted-query-manifest', version: 1, operations });
const operation = { id: sha256, name: 'Missions', type: 'query', body: text };

async function ask(gateway: Gateway, body: object, accept = 'application/graphql-response+json') {
  const response = await gateway.post(body, { accept });
  const answer = await response.json();
  return { status: response.status, data: answer.data, code: answer.errors?.[0].extensions.code, answer };
}

/** A GET with the members of a body in its URL. */
async function askInUrl(gateway: Gateway, body: object) {
  const texts = Object.entries(body).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  const headers = { authorization: 'Bearer test-key', accept: 'application/json' };
  const response = await gateway.fetch(`/graphql?${new URLSearchParams(texts)}`, { headers });
  return { status: response.status, answer: await response.json() };
}

const byHash = (sha256Hash: string) => ({ extensions: { persistedQuery: { version: 1, sha256Hash } } });

const forms: readonly (readonly [name: string, path: () => string, ids: readonly string[]])[] = [
  ["Apollo's manifest", () => write(apollo([operation])), [sha256]],
  ["Relay's manifest", () => write({ [sha256]: text, 'by-name': text }), [sha256, 'by-name']],
  ['a folder', () => writeFolder({ 'Missions.graphql': text, 'README.md': 'none' }), [sha256, 'Missions']],
];

describe.for(forms)('the operations of %s', ([, path, ids]) => {
  test.for(['false', 'true'])('are run by id, ONLY=%s', async (only, { startWith, upstream }) => {
    upstream.script((request) => pageReply([1, 2, 3], request));
    const gateway = await startWith({ PERSISTED_OPERATIONS: path(), PERSISTED_OPERATIONS_ONLY: only });
    const data = { missions: { totalCount: 3 } };
    for (const id of ids) {
      const spellings = id === sha256 ? [id, `sha256:${id}`, `SHA256:${id.toUpperCase()}`] : [id];
      for (const body of [
        ...spellings.map((documentId) => ({ documentId })),
        { id },
        { doc_id: id },
        byHash(id),
        { documentId: id, query: '' },
        { documentId: '', id: '', doc_id: '', ...byHash(id) },
        { documentId: id, variables: { first: 2 }, operationName: 'Missions' },
      ])
        expect(await ask(gateway, body)).toMatchObject({ status: 200, data });
      for (const body of [{ documentId: id }, byHash(id)])
        expect(await askInUrl(gateway, body)).toEqual({ status: 200, answer: { data } });
    }
    expect(gateway.log.join('')).toContain('"operationName":"Missions"');
  });
});

const hash = byHash(sha256.replace(/^./, (first) => (first === '0' ? '1' : '0')));
const words = {
  NOT_FOUND: ['No operation has this identifier.', 'PersistedQueryNotFound'],
  NOT_SUPPORTED: ['This gateway has no persisted operations. Send the query itself.', 'PersistedQueryNotSupported'],
} as const;

/** Requests with an identifier that is unknown, and whether they speak the protocol whose clients compare messages. */
const unknown: readonly (readonly [body: object, isCompared: boolean])[] = [
  [{ documentId: 'nope' }, false],
  [{ id: 'constructor' }, false],
  [byHash('__proto__'), true],
  [{ ...hash, operationName: 'Missions', variables: { first: 2 } }, true],
  [{ ...hash, query: '' }, true],
  [{ ...hash, documentId: 'nope' }, true],
];

test.for([
  ['NOT_FOUND', true],
  ['NOT_SUPPORTED', false],
] as const)(
  'an unknown identifier is PERSISTED_QUERY_%s, in the words that clients compare, on every transport',
  async ([what, hasManifest], { startWith, upstream }) => {
    const gateway = await startWith(hasManifest ? { PERSISTED_OPERATIONS: write({ known: text }) } : {});
    const socket = await openSocket(gateway);
    const code = `PERSISTED_QUERY_${what}`;
    for (const [index, [body, isCompared]] of unknown.entries()) {
      const errors = [{ message: words[what][Number(isCompared)], extensions: { code, retryable: false } }];
      expect(await ask(gateway, body)).toMatchObject({ status: 400, answer: { errors } });
      expect(await ask(gateway, body, 'application/json')).toMatchObject({ status: 200, answer: { errors } });
      expect(await askInUrl(gateway, body)).toMatchObject({ status: 200, answer: { errors } });
      socket.subscribe(String(index), body);
      const refused = await Promise.race([socket.next(String(index), 'error'), socket.closed]);
      expect(refused).toMatchObject({ payload: errors });
    }
    expect(upstream.requests).toEqual([]);
  },
);

test('a query beside an unknown identifier runs, and is not registered', async ({ startWith }) => {
  const query = '{ __typename }';
  const own = byHash(createHash('sha256').update(query).digest('hex'));
  const gateways = {
    FOUND: await startWith({ PERSISTED_OPERATIONS: write({ known: text }) }),
    SUPPORTED: await startWith({}),
  };
  for (const [end, gateway] of Object.entries(gateways)) {
    for (const beside of [own, { id: 'known' }, { id: 'Q' }, { doc_id: 'x' }, { documentId: 'sha256:0' }])
      expect(await ask(gateway, { query, ...beside })).toMatchObject({ status: 200, data: { __typename: 'Query' } });
    for (const alone of [own, { documentId: 'x' }])
      expect((await ask(gateway, alone)).code).toBe(`PERSISTED_QUERY_NOT_${end}`);
  }
});

test('other documents run, unless PERSISTED_OPERATIONS_ONLY is set', async ({ startWith, upstream }) => {
  const manifest = write({ known: text, two });
  const open = await startWith({ PERSISTED_OPERATIONS: manifest });
  expect(await ask(open, { query: '{ __typename }' })).toMatchObject({ data: { __typename: 'Query' } });
  expect(await ask(open, {})).toMatchObject({ status: 400, code: 'BAD_REQUEST' });
  const closed = await startWith({ PERSISTED_OPERATIONS: manifest, PERSISTED_OPERATIONS_ONLY: 'true' });
  const socket = await openSocket(closed);
  let asked = 0;
  const overSocket = async (payload: object) => {
    socket.subscribe(`${++asked}`, payload);
    return (await socket.next(`${asked}`, 'error')).payload[0].extensions.code;
  };
  expect(await overSocket({ query: '' })).toBe('BAD_REQUEST');
  for (const query of ['{ __typename }', text, getIntrospectionQuery(), '{', '__PERSISTED_OPERATION_known__']) {
    for (const more of [{}, { documentId: 'known' }, { id: 'known' }])
      expect(await ask(closed, { query, ...more })).toMatchObject({ status: 400, code: 'PERSISTED_QUERY_ID_REQUIRED' });
    const errors = [{ extensions: { code: 'PERSISTED_QUERY_ID_REQUIRED' } }];
    expect(await askInUrl(closed, { query })).toMatchObject({ answer: { errors } });
    expect(await overSocket({ query })).toBe('PERSISTED_QUERY_ID_REQUIRED');
  }
  for (const body of [{}, { documentId: 5 }, { id: null }, { id: '' }])
    expect((await ask(closed, body)).code).toBe('BAD_REQUEST');
  expect(await ask(closed, { id: 'two', operationName: 'B' })).toMatchObject({ data: { b: 'Query' } });
  expect(upstream.requests).toEqual([]);
});

type Unusable = readonly [what: string, path: () => string, says: RegExp, env?: Readonly<Record<string, string>>];
const unusable: readonly Unusable[] = [
  ['a path that leads nowhere', () => '/nowhere', /nowhere/],
  ['a file that is no JSON', () => write('{'), /JSON/],
  ['a device', () => '/dev/zero', /it is neither a file nor a folder/],
  ['a pipe', makePipe, /is neither a file nor a folder/],
  ['an empty manifest', () => write({}), /no operation/],
  ['a document that cannot be parsed', () => write({ 'the-id': '{ missions {' }), /the-id.*Syntax Error/],
  ['a document that is not valid', () => write({ 'the-id': '{ nope }' }), /the-id.*"nope"/],
  ['an id of two documents', () => write(apollo([operation, { ...operation, body: two }])), /is there twice/],
  ['a document with a long id', () => write({ ['long'.repeat(100_000)]: '{ missions {' }), /^.{0,400}Syntax Error/],
  ['an id of control characters', () => write({ '\u001b[31m\u009b\u0000id': '{' }), /^\P{Cc}+ id cannot/u],
  [
    'a document that reads the schema where nobody may',
    () => write({ reader: '{ _service { sdl } }' }),
    /operation reader cannot be served: .*introspection is off$/,
    { INTROSPECTION: 'false' },
  ],
];

test.for(unusable)('%s stops the start in one line that says so', async ([, path, says, env], { startWith }) => {
  const start = startWith({ ...env, PERSISTED_OPERATIONS: path() });
  await expect(start).rejects.toThrow(/^PERSISTED_OPERATIONS cannot be used: [^\n]+$/);
  await expect(start).rejects.toThrow(says);
});

test('a file that is no JSON is not quoted', async ({ startWith }) => {
  for (const content of ['my-secret', '{"key": my-secret', '{"my-secret', 'my-secret\nmy-secret']) {
    const start = startWith({ PERSISTED_OPERATIONS: write(content) });
    await expect(start).rejects.toThrow(/cannot be read as JSON/);
    await expect(start).rejects.not.toThrow(/my-s/);
  }
});
