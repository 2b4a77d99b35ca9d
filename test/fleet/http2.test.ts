import { connect, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2';
import { expect, test } from 'vitest';
import { startFixedSandbox } from '../support/sandbox.ts';
import { startHaproxy } from './haproxy.ts';
import { startReplica } from './replica.ts';

const streams = 20;

function ask(session: ClientHttp2Session, query: string, accept: string): ClientHttp2Stream {
  const stream = session.request({
    ':method': 'POST',
    ':path': '/graphql',
    accept,
    authorization: 'Bearer a-key',
    'content-type': 'application/json',
  });
  stream.setEncoding('utf8').end(JSON.stringify({ query }));
  return stream;
}

/** Resolves with what has come as soon as it holds a text. */
async function holding(stream: ClientHttp2Stream, text: string): Promise<string> {
  let said = '';
  for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
    said += chunk;
    if (said.includes(text)) break;
  }
  return said;
}

test('HAProxy takes twenty streams and a query over one connection of HTTP/2, as the tabs of a browser send them', async () => {
  const sandbox = await startFixedSandbox();
  await using stack = new AsyncDisposableStack();
  stack.defer(() => sandbox.close());
  const replicas = await Promise.all(
    Array.from({ length: 3 }, () => startReplica({ UPSTREAM_BASE_URL: sandbox.baseUrl, SUBSCRIPTION_POLL_MS: '100' })),
  );
  for (const replica of replicas) stack.use(replica);
  const haproxy = stack.use(await startHaproxy({ replicas: replicas.map(({ address }) => address) }));
  const session = connect(haproxy.url);
  stack.defer(() => session.destroy());
  const subscription = 'subscription { deliveryFeed { __typename ... on DeliveryArrived { delivery { id } } } }';
  const feeds = Array.from({ length: streams }, () => ask(session, subscription, 'text/event-stream'));
  await Promise.all(feeds.map((feed) => holding(feed, '"FeedStateChanged"')));
  const answer = await holding(ask(session, '{ missions { totalCount } }', 'application/json'), '}}}');
  expect(JSON.parse(answer)).toEqual({ data: { missions: { totalCount: 230 } } });
  const { id } = sandbox.deliver();
  for (const said of await Promise.all(feeds.map((feed) => holding(feed, '"DeliveryArrived"'))))
    expect(said).toContain(id);
});
