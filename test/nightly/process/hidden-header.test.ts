import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { subscribe } from '../../support/streams.ts';
import { expect, test as base } from '../../support/gateway.ts';
import { GrowingDeliveries } from '../../support/moving-upstream.ts';
import { listening, startProgram } from '../../support/process.ts';
import { attemptRecord } from '../../support/records.ts';
import { callTool, textsOf } from '../../support/tool-client.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const declaration = 'src/resources/delivery-attempt.ts';
const added = 'x-house_key9';
const query = '{ webhookDeliveries { nodes { attempts { http { request { headers { name value } } } } } } }';
const attempt = attemptRecord({
  http: {
    request: {
      url: 'https://x.test',
      headers: [
        [added, 'hush'],
        ['X-House_Key9', 'hush'],
        ['x-house', 'seen'],
      ],
    },
  },
});

/** A server of this project, in which one more header is declared to be hidden. */
interface Server {
  readonly url: string;
  readonly fetch: typeof fetch;
  /** The text of a response. */
  ask(accept?: string, document?: string): Promise<string>;
}

const test = base.extend<{ readonly start: (env: Readonly<Record<string, string>>) => Promise<Server> }>({
  start: async ({ upstream }, use) => {
    const folder = mkdtempSync(join(tmpdir(), 'switchboard-'));
    for (const name of ['schema.graphql', 'src', 'package.json'])
      cpSync(join(root, name), join(folder, name), { recursive: true, verbatimSymlinks: true });
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    const text = readFileSync(join(folder, declaration), 'utf8');
    writeFileSync(join(folder, declaration), text.replace("'x-api-key'", `'x-api-key', '${added}'`));
    await using programs = new AsyncDisposableStack();
    await use(async (env) => {
      const file = relative(root, join(folder, 'src/main.cjs'));
      const program = programs.use(startProgram(file, { PORT: '0', UPSTREAM_BASE_URL: upstream.baseUrl, ...env }));
      const [, url = ''] = await program.printed(listening);
      const headers = { 'content-type': 'application/json', authorization: 'Bearer test-key' };
      const post = async (accept: string, body: object): Promise<string> =>
        (
          await fetch(`${url}/graphql`, { method: 'POST', headers: { ...headers, accept }, body: JSON.stringify(body) })
        ).text();
      return {
        url,
        fetch: (path, init) => fetch(`${url}${path as string}`, init),
        ask: (accept = '*/*', document = query) => post(accept, { query: document }),
      };
    });
    rmSync(folder, { recursive: true });
  },
});

/** All that a text shows of the values of headers. */
const valuesIn = (text: string): readonly (string | undefined)[] =>
  [...text.matchAll(/\\?"value\\?":\\?"([^"\\]*)/g)].map(([, value]) => value);

const hidden = ['[redacted]', '[redacted]', 'seen'];

test('a header that is added to the list is hidden by bytes, plans, graphql-js, tools and streams', async ({
  start,
  upstream,
}) => {
  const deliveries = new GrowingDeliveries();
  deliveries.add([1], { attempts: [attempt] });
  upstream.script(deliveries.answer);
  const server = await start({ MCP: 'true', MCP_QUERIES: 'true', SUBSCRIPTION_POLL_MS: '5' });

  expect(valuesIn(await server.ask())).toEqual(hidden);
  expect(valuesIn(await server.ask('text/event-stream'))).toEqual(hidden);
  const metrics = await (await server.fetch('/metrics')).text();
  expect(metrics).toMatch(/^switchboard_operations_total\{way="bytes"\} 1$/m);
  expect(metrics).toMatch(/^switchboard_operations_total\{way="compiled"\} 1$/m);

  const answer = await callTool(server, 'run_query', { query });
  expect(valuesIn(textsOf(answer).join(''))).toEqual(hidden);

  const stream = await subscribe(server, query.replace('{', 'subscription {').replace('nodes {', '').replace('}', ''));
  await stream.begun;
  deliveries.add([2], { attempts: [attempt] });
  await expect.poll(() => valuesIn(JSON.stringify(stream.events))).toEqual(hidden);
  stream.close();

  // No plan has the schema itself.
  const general = await server.ask('*/*', query.replace('{', '{ __schema { queryType { name } }'));
  expect(valuesIn(general)).toEqual([...hidden, ...hidden]);
  expect(upstream.requests.length).toBeGreaterThan(4);
});
