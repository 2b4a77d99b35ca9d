import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { BodySpellings, learnedOneIn } from '../../src/http/request/body-spellings.ts';
import { directs } from '../support/fast-path.ts';
import { startGateway, type Gateway } from '../support/gateway.ts';
import { healthyReply } from '../support/root-fields.ts';
import { startScriptedUpstream, type ScriptedUpstream } from '../support/scripted-upstream.ts';

/** More requests than one spelling is learned of. */
const often = learnedOneIn + 3;
/** Of this run of the file: a test that is tried again has other texts. */
let texts = 0;

const query = 'query A($n: Int) { missions(first: $n) { nodes { name } } } query B { __typename }';
const text = JSON.stringify(query);
const before = `{"query":${text},"operationName":"A","variables":`;
const after = ',"extensions":{}}';
const bodyOf = (value: string): string => before + value + after;

const parse = vi.spyOn(BodySpellings.prototype, 'parse');
let upstream: ScriptedUpstream;
let gateway: Gateway;
/** A gateway all of whose requests go through Yoga, which parses each body whole. */
let plain: Gateway;

beforeAll(async () => {
  upstream = await startScriptedUpstream();
  upstream.script(healthyReply);
  gateway = await startGateway(upstream.baseUrl);
  plain = await startGateway(upstream.baseUrl, { COMPILE_OPERATIONS: 'false' });
});
beforeEach(() => {
  parse.mockClear();
  upstream.requests.length = 0;
});
afterAll(async () => {
  parse.mockRestore();
  for (const one of [gateway, plain]) await one.close();
  await upstream.close();
});

async function send(through: Gateway, body: string | Buffer, key = 'test-key') {
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json',
    authorization: `Bearer ${key}`,
    'x-request-id': 'the-request',
  };
  const response = await through.fetch('/graphql', {
    method: 'POST',
    headers,
    body: Uint8Array.from(Buffer.from(body)),
  });
  return { status: response.status, text: await response.text() };
}

/** Sends a body until its spelling is known. */
async function teach(): Promise<void> {
  for (let time = 0; time < often; time++) await send(gateway, bodyOf('{"n":2}'));
  const expected = { query, operationName: 'A', variables: { n: 2 }, extensions: {} };
  expect(parse.mock.results.at(-1)?.value).toEqual(expected);
}

const alike: Readonly<Record<string, string | Buffer>> = {
  'other variables': bodyOf('{"n":3}'),
  'no variables': bodyOf('null'),
  'variables with blanks around': bodyOf(' { "n" : 1 }\n'),
  'variables that are a list': bodyOf('[]'),
  'a variable that does not fit': bodyOf('{"n":"é \uFFFD"}'),
  'a variable that nobody asks for': bodyOf('{"n":1,"variables":{"n":5},"query":"{ __typename }"}'),
  'a member __proto__': bodyOf('{"__proto__":{"n":1}}'),
  'another name of an operation': `${before}{"n":2},"operationName":"B"}`,
  'another name in front of what follows': bodyOf('{"n":2},"operationName":"B"'),
  'a second query': bodyOf('{"n":2},"query":"query A { __typename }"'),
  'second variables': bodyOf('{"n":2},"variables":{"n":1}'),
  'second variables with an escape': bodyOf('{"n":2},"vari\\u0061bles":{"n":1}'),
  'an identifier too': bodyOf('{"n":2},"documentId":"x"'),
  'no value': bodyOf(''),
  'half a value': bodyOf('{"n":2'),
  'a value and more': bodyOf('{"n":2}}'),
  'text that is no UTF-8': Buffer.from(bodyOf('{"n":"\xE9"}'), 'latin1'),
  'a byte order mark in front': `\uFEFF${bodyOf('{"n":1}')}`,
  'a byte order mark within': bodyOf('\uFEFF{"n":1}'),
  'nothing behind the variables': before,
  'the parts alone': before + after,
  'a hash': `${before}{"n":2},"extensions":{"persistedQuery":{"version":1,"sha256Hash":"x"}}}`,
};

/** What a client gets, and what the upstream is asked meanwhile. */
async function see(through: Gateway, body: string | Buffer) {
  upstream.requests.length = 0;
  const response = await send(through, body);
  return { ...response, calls: upstream.requests.map(({ rawQuery }) => rawQuery) };
}

test.for(Object.entries(alike))(
  'a body like a known one gets the response that it gets where every body is parsed whole: %s',
  async ([, body]) => {
    await teach();
    const seen = await see(gateway, body);
    expect(seen).toEqual(await see(plain, body));
  },
);

test('what is learned of one caller serves another one, as that one', async () => {
  await teach();
  await send(gateway, bodyOf('{"n":4}'), 'another-key');
  expect(parse.mock.results.at(-1)?.value).toMatchObject({ variables: { n: 4 } });
  expect(upstream.requests.at(-1)?.headers['authorization']).toBe('Bearer another-key');
});

test('a body that the fast path does not take leaves no spelling', async () => {
  const body = JSON.stringify({ query: 'query A { nope }', operationName: 'A', variables: {} });
  const taken = await directs(gateway);
  for (let time = 0; time < often; time++) await send(gateway, body);
  expect(parse.mock.results.map(({ value }) => value as unknown)).toEqual(Array(often).fill(undefined));
  expect(await directs(gateway)).toBe(taken);
});

test('a query that comes for the first time leaves no spelling', async () => {
  const bodies = Array.from({ length: 2 * often }, () =>
    JSON.stringify({ query: `query Once { a${texts++}: __typename }`, operationName: 'Once', variables: {} }),
  );
  for (const body of bodies) await send(gateway, body);
  const taken = await directs(gateway);
  parse.mockClear();
  for (const body of bodies.slice(0, learnedOneIn - 1)) await send(gateway, body);
  expect(await directs(gateway)).toBe(taken + learnedOneIn - 1);
  const found = parse.mock.results.filter(({ value }) => value !== undefined);
  // One of those that came a second time may have been learned; none of them is asked for again.
  expect(found).toEqual([]);
});
