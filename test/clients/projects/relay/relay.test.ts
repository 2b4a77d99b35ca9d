import { execFile } from 'node:child_process';
import type { ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createOperationDescriptor, fetchQuery, getSingularSelector } from 'relay-runtime';
import { pageOf, read } from '../../../documents/page.ts';
import { folderWriter } from '../../../support/files.ts';
import { directs } from '../../../support/metrics.ts';
import { describe, expect, test, type Gateway } from '../../../support/gateway.ts';
import { chargesBreakdownRecord } from '../../../support/records.ts';
import './artifact-extension.ts';
import { createEnvironment } from './environment.ts';
import type { ipConnectionRowRefetchQuery } from './generated/ipConnectionRowRefetchQuery.graphql.ts';
import { linesOf, offices, threePages } from '../../upstream.ts';

const { ListView } = await import('./list-view.ts');
const { default: reportLaterQuery } = await import('./generated/reportLaterQuery.graphql.ts');
const { default: reportLater } = await import('./generated/reportLater_report.graphql.ts');
const { default: refetchQuery } = await import('./generated/ipConnectionRowRefetchQuery.graphql.ts');

const compiler = fileURLToPath(import.meta.resolve('relay-compiler/cli.js'));
const folderOf = folderWriter();
const page = 'docs/clients/relay.md';
const environmentOf = ({ url }: Gateway) => createEnvironment(`${url}/graphql`, 'relay-key');

// The artifacts are committed, so that they are type-checked, and read in a review; `--validate` writes nothing, and fails
// where the schema or the sources would make others.
test('relay-compiler accepts the schema, and makes the committed artifacts of it', async () => {
  const cwd = import.meta.dirname;
  const { stdout } = await promisify(execFile)(process.execPath, [compiler, '--validate', '--noWatchman'], { cwd });
  expect(stdout).toContain('Compilation completed.');
  expect(stdout).not.toMatch(/warn|error/i);
});

test('the page on Relay shows the settings with which the sources here are compiled', () => {
  const blocks = pageOf(page).sections.flatMap((section) => section.blocks);
  const block = blocks.find(({ line }) => line.startsWith('{ "src"'));
  const { schemaConfig, customScalarTypes } = JSON.parse(block?.text ?? '');
  expect(JSON.parse(read('test/clients/projects/relay/relay.config.json'))).toMatchObject({
    schemaConfig,
    customScalarTypes,
  });
});

test('the page on Relay quotes the panic of Relay without its settings', async () => {
  const cwd = folderOf({
    'schema.graphql': read('schema.graphql'),
    'src/bill.ts': 'graphql`query billQuery { missions { totalCount } }`;',
    'relay.config.json': '{ "src": "./src", "language": "typescript", "schema": "./schema.graphql" }',
  });
  const run = promisify(execFile)(process.execPath, [compiler], { cwd });
  const message = 'Expected `Node` to contain a field named `id`.';
  await expect(run).rejects.toThrow(message);
  expect(read(page)).toContain(message);
});

describe('relay-runtime', () => {
  test('appends page after page until there is none, each for one call', async ({ gateway, upstream }) => {
    const list = offices(45);
    upstream.script(list.answer);
    const view = await ListView.open(environmentOf(gateway), { first: 20 });
    expect(view.rows).toHaveLength(20);
    while (view.hasNext) await view.loadMore(20);
    expect(view.rows.map(({ id }) => id)).toEqual(list.ids);
    expect(new Set(view.rows.map(({ nodeId }) => nodeId)).size).toBe(45);
    expect(view.totalCount).toBe(45);
    expect(linesOf(upstream.requests)).toEqual(threePages);
    expect(upstream.requests.map(({ headers }) => headers.authorization)).toEqual(Array(3).fill('Bearer relay-key'));
    expect(await directs(gateway)).toBe(3);
  });

  test('keeps lists of another filter or order apart', async ({ gateway, upstream }) => {
    const list = offices(30);
    upstream.script(list.answer);
    const environment = environmentOf(gateway);
    const all = await ListView.open(environment, { first: 20 });
    const one = await ListView.open(environment, { first: 20, filter: { connectionName: { eq: 'Office 7' } } });
    await all.loadMore(20);
    expect(all.rows).toHaveLength(30);
    expect(one.rows).toEqual([all.rows[7]]);
    expect(one.hasNext).toBe(false);
  });

  test('refetches one object by its nodeId, and all lists show it', async ({ gateway, upstream }) => {
    const list = offices(25);
    upstream.script(list.answer);
    const environment = environmentOf(gateway);
    const all = await ListView.open(environment, { first: 20 });
    const one = await ListView.open(environment, { first: 20, filter: { connectionName: { eq: 'Office 7' } } });
    expect(all.rows[7]).toMatchObject({ id: 'row-7', connectionName: 'Office 7', active: true });
    list.rows = list.rows.map((row) => (row['id'] === 'row-7' ? { ...row, active: false } : row));
    upstream.requests.length = 0;
    const nodeId = String(all.rows[7]?.nodeId);
    await fetchQuery<ipConnectionRowRefetchQuery>(environment, refetchQuery, { nodeId }).toPromise();
    expect(all.rows[7]).toEqual({ id: 'row-7', nodeId, connectionName: 'Office 7', active: false });
    expect(all.rows.filter(({ active }) => active !== true)).toEqual(one.rows);
    expect(linesOf(upstream.requests)).toEqual([
      '/ip_connections?filter[connection_name]=Office 7&page[number]=1&page[size]=250',
    ]);
  });

  test('opens by its nodeId a row that a list has brought, without a call', async ({ gateway, upstream }) => {
    upstream.script(offices(25).answer);
    const environment = environmentOf(gateway);
    const all = await ListView.open(environment, { first: 20 });
    const nodeId = String(all.rows[7]?.nodeId);
    const cached = { fetchPolicy: 'store-or-network' } as const;
    const row = fetchQuery<ipConnectionRowRefetchQuery>(environment, refetchQuery, { nodeId }, cached);
    expect(await row.toPromise()).toMatchObject({ node: { __id: nodeId } });
    expect(upstream.requests).toHaveLength(1);
  });

  test('shows deferred fields when they come, and the rest before', async ({ gateway, upstream }) => {
    const held = Promise.withResolvers<ServerResponse>();
    upstream.script(({ path }) =>
      path === '/charges_breakdown' ? { act: held.resolve } : { json: { data: [], meta: { total_results: 7 } } },
    );
    const environment = environmentOf(gateway);
    const operation = createOperationDescriptor(reportLaterQuery, {});
    const shown = (): unknown => {
      const { data } = environment.lookup(operation.fragment);
      const selector = getSingularSelector(reportLater, data);
      return { ...data, report: selector && environment.lookup(selector).data };
    };
    environment.retain(operation);
    const first = Promise.withResolvers<unknown>();
    fetchQuery(environment, reportLaterQuery, {}).subscribe({ next: () => first.resolve(shown()) });
    expect(await first.promise).toMatchObject({ missions: { totalCount: 7 }, report: {} });
    const json = JSON.stringify({ data: chargesBreakdownRecord({ currency: 'USD' }) });
    (await held.promise).writeHead(200, { 'content-type': 'application/json' }).end(json);
    await expect
      .poll(shown)
      .toMatchObject({ missions: { totalCount: 7 }, report: { chargesBreakdown: { currency: 'USD' } } });
  });
});
