import { Random } from '../../src/sandbox/random.ts';
import { goodReply } from '../fuzz/moody-upstream.ts';
import { subscribe } from '../support/event-stream.ts';
import { refusal, type Script } from '../support/scripted-upstream.ts';
import { strangersKey } from './key.ts';
import type { Handouts } from './value.ts';

/** An upstream in good health: it knows the stranger's key, and no other. */
export function healthyScript(): Script {
  const random = new Random('health');
  // Records are sound here: odd ones are the upstream attack's part.
  random.chance = () => false;
  return (request) => {
    if (request.headers.authorization === `Bearer ${strangersKey}`) return goodReply(request, random);
    return refusal(401, '10009', 'Authentication failed');
  };
}

const query = `{
  ipConnections(first: 3) { edges { cursor node { nodeId id } } }
  missions(first: 3) { edges { cursor node { nodeId id } } }
  webhookDeliveries(first: 3) { edges { cursor node { nodeId id } } }
}`;

interface Edge {
  readonly cursor: string;
  readonly node: { readonly nodeId: string; readonly id: string };
}

/** Asks a gateway before a healthy upstream for what it gives out: cursors, identifiers, the id of an event. */
export async function gatherHandouts(url: string): Promise<Handouts> {
  const headers = { authorization: `Bearer ${strangersKey}`, 'content-type': 'application/json' };
  const response = await fetch(`${url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) });
  const { data } = (await response.json()) as {
    readonly data: Readonly<Record<string, { readonly edges: readonly Edge[] }>>;
  };
  const edges = Object.values(data).flatMap((connection) => connection.edges);
  const stream = await subscribe({ url }, 'subscription { webhookDeliveries { id } }', { key: strangersKey });
  await stream.begun;
  const { lastEventId } = stream;
  stream.close();
  return {
    cursors: edges.map(({ cursor }) => cursor),
    nodeIds: edges.map(({ node }) => node.nodeId),
    ids: edges.map(({ node }) => node.id),
    eventIds: [lastEventId],
  };
}
