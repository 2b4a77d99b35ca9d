import { describe } from 'vitest';
import { expect, test } from '../../support/gateway.ts';
import { attemptAt, MovingUpstream, timestampAt } from '../../support/moving-upstream.ts';
import type { JsonRecord } from '../../support/records.ts';
import { backup, deliveriesTo, longer, main } from './connection-delivery.ts';

describe('the connection of a delivery', () => {
  const document = '{ webhookDeliveries(first: 50) { nodes { id ipConnection { id } } } }';

  test('is the one owner of the newest address, by one scan for a page', async ({ gateway, upstream }) => {
    const shared = 'https://shared.example.com/';
    const urls = new Map([
      [600, { webhook_event_url: main, webhook_event_failover_url: main }],
      [601, { webhook_event_url: longer, webhook_event_failover_url: backup }],
    ]);
    const others = { webhook_event_url: shared };
    const connections = new MovingUpstream('/ip_connections', 700, (index) => urls.get(index) ?? others);
    const attempts: readonly (readonly JsonRecord[])[] = [
      [attemptAt(main)],
      [attemptAt(backup, timestampAt(2)), attemptAt(main, timestampAt(1))],
      // Newest by its start, though not the first.
      [attemptAt(main, timestampAt(1)), attemptAt(longer, timestampAt(2))],
      [attemptAt(shared)],
      [attemptAt('https://nobody.example.com/')],
      [],
    ];
    const deliveries = new MovingUpstream('/webhook_deliveries', 30, (index) => ({ attempts: attempts[index % 6] }));
    upstream.script((request) => (request.path === connections.path ? connections : deliveries).answer(request));
    const { data, errors } = await gateway.query(document);
    expect(errors).toEqual([]);
    const owners = ['row-600', 'row-601', 'row-601', null, null, null];
    expect(data.webhookDeliveries.nodes.map((node: any) => node.ipConnection?.id ?? null)).toEqual(
      Array.from({ length: 30 }, (_, index) => owners[index % 6]),
    );
    expect(upstream.requests.map(({ path }) => path).toSorted()).toEqual([
      ...Array(3).fill('/ip_connections'),
      '/webhook_deliveries',
    ]);
  });

  test('costs no call where no attempt has an address', async ({ gateway, upstream }) => {
    const deliveries = new MovingUpstream('/webhook_deliveries', 4, (index) => ({ attempts: [null, [], [{}]][index] }));
    upstream.script(deliveries.answer);
    const { data, errors } = await gateway.query(document);
    expect(errors).toEqual([]);
    expect(data.webhookDeliveries.nodes.every((node: any) => node.ipConnection === null)).toBe(true);
    expect(upstream.requests).toHaveLength(1);
  });

  test('is found although connections come and go while they are read', async ({ gateway, upstream }) => {
    const connections = new MovingUpstream('/ip_connections', 500, (index) => ({
      webhook_event_url: `https://${index}.example.com/`,
    }));
    const urls = ['https://249.example.com/', 'https://250.example.com/', 'https://499.example.com/'];
    const deliveries = deliveriesTo(3, (index) => [urls[index] ?? '']);
    for (const change of [() => connections.insert(0, 1), () => connections.delete(0, 1)]) {
      let hasChanged = false;
      upstream.script((request) => {
        if (request.path !== connections.path) return deliveries.answer(request);
        const reply = connections.answer(request);
        if (!hasChanged) change();
        hasChanged = true;
        return reply;
      });
      const { data, errors } = await gateway.query(document);
      expect(errors).toEqual([]);
      const owners = data.webhookDeliveries.nodes.map((node: any) => node.ipConnection?.id);
      expect(owners).toEqual(['row-249', 'row-250', 'row-499']);
    }
  });

  test('is refused where there are more connections than a search may read', async ({ startWith, upstream }) => {
    const gateway = await startWith({ UPSTREAM_SCAN_PAGES: '1' });
    const connections = new MovingUpstream('/ip_connections', 251, () => ({ webhook_event_url: main }));
    const deliveries = deliveriesTo(2, () => [main]);
    upstream.script((request) => (request.path === connections.path ? connections : deliveries).answer(request));
    const { data, errors } = await gateway.query(document);
    const none = { ipConnection: null };
    expect(data.webhookDeliveries.nodes).toMatchObject([none, none]);
    const extensions = { code: 'QUERY_TOO_COMPLEX', limit: 250, actual: 251 };
    expect(errors).toMatchObject([{ extensions }, { extensions }]);
  });
});
