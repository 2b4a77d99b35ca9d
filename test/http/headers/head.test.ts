import { expect, test, type Gateway } from '../../support/gateway.ts';
import { growing, all, openIn } from '../../live/subscription.ts';
import { ask } from '../../support/http.ts';
import { pageReply, stall, watched } from '../../support/scripted-upstream.ts';

type Headers = Readonly<Record<string, string>>;
const inUrl = (query: string): string => `/graphql?query=${encodeURIComponent(query)}`;
/** Headers of the connection, and not of the response. */
const isOfAnswer = (line: string): boolean => !/^(?:connection|date|keep-alive|transfer-encoding): /.test(line);
// fetch would ask for codings by itself.
const same = { authorization: 'Bearer test-key', 'x-request-id': 'same', 'accept-encoding': 'identity' };

async function headOf({ url }: Gateway, path: string, given: Headers = {}) {
  const head = await ask(url, { path, method: 'HEAD', headers: { ...same, ...given } });
  return { ...head, headers: head.headers.filter(isOfAnswer) };
}

/** The head of a response to GET, whose body may never end. */
async function headOfGet({ url }: Gateway, path: string, given: Headers = {}) {
  const leaving = new AbortController();
  const { status, headers } = await fetch(url + path, { headers: { ...same, ...given }, signal: leaving.signal });
  leaving.abort();
  const lines = [...headers].map((pair) => pair.join(': ')).filter(isOfAnswer);
  return { status, headers: lines.sort(), text: '' };
}

test('HEAD of a subscription has the head of its stream, and begins none', async ({ gateway, upstream }) => {
  growing(upstream);
  const events = { accept: 'text/event-stream' };
  const head = await headOf(gateway, inUrl(all), events);
  expect(upstream.requests).toEqual([]);
  expect(await openIn(gateway)).toEqual({ streams: 0, lists: 0 });
  expect(head.status).toBe(200);
  expect(head).toEqual(await headOfGet(gateway, inUrl(all), events));
});

const response = 'application/graphql-response+json, text/event-stream;q=0.9';
test.for<[what: string, query: string, given: Headers, status: number]>([
  ['without a key', all, { accept: '*/*', authorization: '' }, 200],
  ['without a key, as a client of GraphQL over HTTP', all, { accept: response, authorization: '' }, 401],
  ['of a field that nobody knows', 'subscription { nope }', { accept: response }, 400],
  ['for a client that takes JSON alone', all, { accept: 'application/json' }, 406],
])(
  'HEAD of a subscription %s is refused as GET is, and asks nothing',
  async ([, query, given, status], { gateway, upstream }) => {
    const head = await headOf(gateway, inUrl(query), given);
    expect(head.status).toBe(status);
    expect(head).toEqual(await headOfGet(gateway, inUrl(query), given));
    expect(upstream.requests).toEqual([]);
  },
);

test.for([
  ['a query', inUrl('{ missions { totalCount } }')],
  ['an export', '/exports/charges-breakdown.csv?startDate=2026-10-01'],
] as const)('HEAD of %s has the head of its response, and keeps no call', async ([, path], { gateway, upstream }) => {
  const { reply, left } = watched(stall('tn,cost\n', { headers: { 'content-type': 'text/csv' } }));
  upstream.script((request) => (request.path === '/ai/missions' ? pageReply([], request) : reply));
  const head = await headOf(gateway, path);
  expect([head.status, upstream.requests.length]).toEqual([200, 1]);
  if (path.startsWith('/exports')) await left;
  expect(head).toEqual(await headOfGet(gateway, path));
});
