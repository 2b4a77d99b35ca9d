import { describe } from 'vitest';
import { expect, test } from '../support/gateway.ts';
import { pageReply, refusal, type Script } from '../support/scripted-upstream.ts';
import { askEntities, reference, type Reference } from './reference.ts';

const rows = (prefix: string, length: number, idName = 'id') =>
  Array.from({ length }, (_, index) => ({ [idName]: `${prefix}${index}` }));
const connections = rows('c', 600);
const missions = rows('m', 230, 'mission_id');
const deliveries = rows('d', 12_000);
const broken = refusal(500, '10007', 'Unexpected error', 'Sorry.');

const lists: Script = (request) => {
  if (request.path === '/ai/missions') return pageReply(missions, request, 1000);
  return pageReply(request.path === '/ip_connections' ? connections : deliveries, request);
};

/** 200 references: the types take turns, and each type's are spread over `length` rows of its list, the last one included. */
function mixed(lengths: readonly [type: string, prefix: string, length: number][]): readonly Reference[] {
  const turns = 200 / lengths.length;
  return Array.from({ length: 200 }, (_, index) => {
    const [type, prefix, length] = lengths[index % lengths.length] ?? ['', '', 0];
    const turn = Math.floor(index / lengths.length);
    return reference(type, `${prefix}${Math.round(((length - 1) * turn) / (Math.ceil(turns) - 1))}`);
  });
}

const isMission = ({ __typename: type }: Reference): boolean => type === 'Mission';

function callsOf(requests: readonly { readonly path: string }[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { path } of requests) counts[path] = (counts[path] ?? 0) + 1;
  return counts;
}

describe('200 references of three types in one request', () => {
  test('take one scan per list, as far as the last reference', async ({ gateway, upstream }) => {
    upstream.script(lists);
    const references = mixed([
      ['IpConnection', 'c', 600],
      ['Mission', 'm', 230],
      ['WebhookDelivery', 'd', 250],
    ]);
    const { entities, errors } = await askEntities(gateway, references);
    expect(errors).toEqual([]);
    expect(entities).toEqual(references);
    // Of pages of 250, 1000 and 250 rows: 600 connections take three, 230 missions and the newest 250 deliveries one each.
    expect(callsOf(upstream.requests)).toEqual({ '/ip_connections': 3, '/ai/missions': 1, '/webhook_deliveries': 1 });
  });

  test('read a list of 12,000 to its end in 48 calls, while another type fails', async ({ gateway, upstream }) => {
    upstream.script((request) => (request.path === '/ai/missions' ? broken : lists(request)));
    const references = mixed([
      ['WebhookDelivery', 'd', 12_000],
      ['Mission', 'm', 230],
      ['IpConnection', 'c', 600],
    ]);
    const { entities, errors } = await askEntities(gateway, references);
    expect(entities).toEqual(references.map((wanted) => (isMission(wanted) ? null : wanted)));
    expect(errors.map(({ path, extensions: { code } }) => [path, code])).toEqual(
      references.flatMap((wanted, index) => (isMission(wanted) ? [[['_entities', index], 'UPSTREAM_ERROR']] : [])),
    );
    expect(callsOf(upstream.requests)).toEqual({ '/ip_connections': 3, '/ai/missions': 1, '/webhook_deliveries': 48 });
  });

  test('share one bound: rows beyond the pages that may be read are errors, found rows stay', async ({
    startWith,
    upstream,
  }) => {
    const gateway = await startWith({ UPSTREAM_SCAN_PAGES: '2' });
    upstream.script(lists);
    const references = mixed([['IpConnection', 'c', 600]]);
    const { entities, errors } = await askEntities(gateway, references);
    const isWithin = ({ id }: Reference): boolean => Number(id.slice(1)) < 500;
    expect(entities).toEqual(references.map((wanted) => (isWithin(wanted) ? wanted : null)));
    expect(errors).toHaveLength(references.filter((wanted) => !isWithin(wanted)).length);
    for (const { extensions } of errors)
      expect(extensions).toMatchObject({ code: 'QUERY_TOO_COMPLEX', limit: 500, actual: 600 });
    expect(callsOf(upstream.requests)).toEqual({ '/ip_connections': 2 });
  });

  test('take one call each where the upstream can retrieve rows', async ({ startWith, upstream }) => {
    const gateway = await startWith({ UPSTREAM_LOOKUP: 'retrieve' });
    upstream.script(({ path }) => {
      const id = path.split('/').at(-1);
      return { json: { data: path.startsWith('/ai/missions') ? { mission_id: id } : { id } } };
    });
    const references = mixed([
      ['IpConnection', 'c', 600],
      ['Mission', 'm', 230],
      ['WebhookDelivery', 'd', 12_000],
    ]);
    const { entities, errors } = await askEntities(gateway, [...references, ...references]);
    expect(errors).toEqual([]);
    expect(entities).toEqual([...references, ...references]);
    expect(upstream.requests).toHaveLength(200);
  });
});
