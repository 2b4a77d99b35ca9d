import { representationsPerField } from '../../../src/bounds.ts';
import { smallBody } from '../../../src/http/request/body-reader.ts';
import { describe, expect, testOfFile as test, type Gateway } from '../../support/gateway.ts';

const [bodyDepth, bodyValues] = [100, 50_000] as const;
const padding = ' '.repeat(smallBody);
// Around the value are two objects, whose members are three; the value itself is one of them.
const bodyOf = (value: string): string => `${padding}{"query":"{ __typename }","variables":{"v":${value}}}`;
const around = { depth: 2, values: 3 };
const nested = (open: string, inner: string, close: string, depth: number): string =>
  open.repeat(depth) + inner + close.repeat(depth);
const listOf = (length: number, item: string): string => `[${Array(length).fill(item).join()}]`;

const objectOf = (members: number): string =>
  `{${Array.from({ length: members }, (_, index) => `"a${index}":[1,2]`).join()}}`;

async function post(gateway: Gateway, body: string) {
  const response = await gateway.post(body);
  return { status: response.status, answer: (await response.json()) as unknown };
}

const executed = { status: 200, answer: { data: { __typename: 'Query' } } };
const refused = (limit: number) => ({
  status: 400,
  answer: { errors: [{ extensions: { code: 'QUERY_TOO_COMPLEX', retryable: false, limit, actual: limit + 1 } }] },
});

describe('a body of JSON', () => {
  const most = bodyDepth - around.depth;
  const room = bodyValues - around.values;
  const fit: Readonly<Record<string, string>> = {
    'as deep as may be, in lists': nested('[', '', ']', most),
    'as deep as may be, in objects': nested('{"a":', '1', '}', most),
    'with as many items as there may be': listOf(room, '1'),
    'with brackets in its texts': JSON.stringify('["\\[{'.repeat(bodyValues)),
    'with quotes and backslashes in its texts': JSON.stringify('\\"'.repeat(1_000) + ',[{'.repeat(bodyValues)),
    'with as many members as an object may have': objectOf(1_000),
    'with as many references as a field takes': listOf(representationsPerField, '{"__typename":"Mission","id":"a"}'),
  };
  test.for(Object.entries(fit))('is read where it is one %s', async ([, value], { gateway }) => {
    expect(await post(gateway, bodyOf(value))).toEqual(executed);
  });

  const deep: Readonly<Record<string, string>> = {
    'lists that are never closed': '['.repeat(800_000),
    'one level more than may be': bodyOf(nested('[', '', ']', most + 1)),
    'lists behind a text': bodyOf(`["\\\\",${nested('[', '', ']', most)}]`),
  };
  test.for(Object.entries(deep))('is refused before it is parsed: %s', async ([, body], { gateway }) => {
    expect(await post(gateway, body)).toMatchObject(refused(bodyDepth));
  });

  test.for([
    ['items', listOf(room + 1, '1'), bodyValues],
    ['lists', listOf(200_000, '[]'), bodyValues],
    ['objects', `[${Array.from({ length: 50_000 }, (_, index) => `{"a${index}":1}`).join()}]`, bodyValues],
    ['members of an object', objectOf(1_001), 1_000],
  ] as const)('is refused before it is parsed: many %s', async ([, value, limit], { gateway }) => {
    expect(await post(gateway, bodyOf(value))).toMatchObject(refused(limit));
  });
});
