import { describe } from 'vitest';
import { startSandbox } from '../../../src/sandbox/server.ts';
import { expect, startGateway, test } from '../../support/gateway.ts';
import { MovingUpstream } from '../../support/moving-upstream.ts';
import { contains, deliveriesTo, takeCalls } from './connection-delivery.ts';

const fifty = /* GraphQL */ `
  {
    ipConnections(first: 50) {
      nodes {
        id
        webhookEventUrl
        webhookEventFailoverUrl
        webhookDeliveries(first: 5) {
          nodes {
            id
            attempts {
              http {
                request {
                  url
                }
              }
            }
          }
        }
      }
    }
  }
`;

interface Owner {
  readonly webhookEventUrl: string | null;
  readonly webhookEventFailoverUrl: string | null;
  readonly webhookDeliveries: { readonly nodes: readonly { readonly attempts: readonly any[] | null }[] };
}

const urlsOf = ({ webhookEventUrl, webhookEventFailoverUrl }: Owner): readonly string[] =>
  [webhookEventUrl, webhookEventFailoverUrl].filter((url) => url !== null);

describe('fifty connections with five deliveries each', () => {
  test('take no more calls than there are distinct addresses', async ({ gateway, upstream }) => {
    const urls = Array.from({ length: 20 }, (_, index) => `https://${index}.example.com/`);
    const connections = new MovingUpstream('/ip_connections', 50, (index) => ({
      webhook_event_url: urls[index % 20],
      webhook_event_failover_url: index % 3 === 0 ? urls[(index + 1) % 20] : null,
    }));
    const deliveries = deliveriesTo(2000, (index) => [urls[index % 20] ?? '']);
    upstream.script((request) => (request.path === connections.path ? connections : deliveries).answer(request));
    const { data, errors } = await gateway.query(fifty);
    expect(errors).toEqual([]);
    for (const { webhookDeliveries } of data.ipConnections.nodes as Owner[])
      expect(webhookDeliveries.nodes).toHaveLength(5);
    const calls = takeCalls(upstream);
    expect(calls.map((query) => query[contains]).toSorted()).toEqual(urls.toSorted());
  });

  test('take one call for each address over the sandbox, where connections share addresses', async () => {
    const sandbox = await startSandbox({ port: 0, host: '127.0.0.1' });
    const gateway = await startGateway(sandbox.baseUrl);
    const { data, errors } = await gateway.query(fifty, { key: 'sandbox-key' });
    expect(errors).toEqual([]);
    const owners: readonly Owner[] = data.ipConnections.nodes;
    expect(owners).toHaveLength(50);
    for (const owner of owners) {
      for (const { attempts } of owner.webhookDeliveries.nodes) {
        expect(attempts?.some((attempt) => urlsOf(owner).includes(attempt.http?.request?.url))).toBe(true);
      }
    }
    const line = gateway.log.map((text) => JSON.parse(text)).find((entry) => 'upstreamCalls' in entry);
    const distinct = new Set(owners.flatMap(urlsOf)).size;
    expect(line.upstreamCalls).toBeLessThanOrEqual(1 + distinct);
    await gateway.close();
    await sandbox.close();
  });
});
