import { expect, test } from '../support/gateway.ts';
import { MovingUpstream } from '../support/moving-upstream.ts';

// A page that holds the whole list does not show that larger pages are served.
test.for([true, false])(
  'a list that grows beyond the largest page while its pages are read is read to its end, where meta tells the size: %s',
  async (isTold, { gateway, upstream }) => {
    const list = new MovingUpstream('/webhook_deliveries', 100);
    let calls = 0;
    upstream.script((request) => {
      if (calls++ === 1) list.insert(0, 1);
      const asked = Number(request.query['page[size]']);
      const reply = list.answer({
        ...request,
        query: { ...request.query, 'page[size]': String(Math.min(asked, 100)) },
      });
      const { data, meta } = reply.json as { readonly data: unknown; readonly meta: object };
      return { json: { data, meta: isTold ? meta : { ...meta, page_size: asked } } };
    });
    const { data, errors } = await gateway.query('{ list: webhookDeliveries(first: 500) { nodes { id } totalCount } }');
    expect(errors).toEqual([]);
    expect(data.list.nodes.map(({ id }: { readonly id: string }) => id)).toEqual(list.ids);
    expect(data.list.totalCount).toBe(101);
  },
);
