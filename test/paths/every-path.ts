import { type Gateway, judge, startGateway } from '../support/gateway.ts';
import { samplesOf, scrape } from '../support/metrics.ts';
import { ask, type RawAnswer, type RawRequest } from '../support/http.ts';
import { startScriptedUpstream } from '../support/scripted-upstream.ts';

/** Who answered an operation: the API's bytes, a plan, or graphql-js. */
export type Way = 'bytes' | 'compiled' | 'general';

/** One upstream, a gateway that takes every path, and one that has graphql-js only. */
export type Paths = Awaited<ReturnType<typeof startPaths>>;

/** Starts two gateways with these settings before one upstream, whose failures nobody remembers. */
export async function startPaths(env: Readonly<Record<string, string>> = {}) {
  const upstream = await startScriptedUpstream();
  const settings = { UPSTREAM_BREAKER_OPEN_MS: '1', ...env };
  const gateways = [
    await startGateway(upstream.baseUrl, settings),
    await startGateway(upstream.baseUrl, settings, judge),
  ] as const;
  return {
    upstream,
    gateway: gateways[0],
    judge: gateways[1],
    async close() {
      for (const gateway of gateways) await gateway.close();
      await upstream.close();
    },
  };
}

/** A POST of these members; headers that are given as `none` are left out. */
export function post(members: object, headers: NonNullable<RawRequest['headers']> = {}): RawRequest {
  const own = { authorization: 'Bearer test-key', 'content-type': 'application/json' };
  const given = Object.entries({ ...own, ...headers }).filter(([, value]) => value !== 'none');
  return { headers: Object.fromEntries(given), body: JSON.stringify(members) };
}

/** The same operation for who takes events only: its answer is not written from the API's bytes. */
export function asEvent(members: object, headers: NonNullable<RawRequest['headers']> = {}): RawRequest {
  return post(members, { ...headers, accept: 'text/event-stream' });
}

/** A response to the letter but for the order of its errors, and the upstream calls that it took. */
export interface Outcome extends RawAnswer {
  /** Sorted: they have no order of their own (GraphQL, section 7.1.2). */
  readonly errors: readonly string[];
  /** Path, query string and key of each, and whether it had the request's id; sorted. */
  readonly calls: readonly string[];
}

/** Sends a request under an id, which stands as `the-id` in the outcome, whether it was taken or replaced by another. */
export async function outcomeOf(
  { upstream }: Paths,
  { url }: Gateway,
  request: RawRequest,
  sentId: string,
): Promise<Outcome> {
  upstream.requests.length = 0;
  const answer = await ask(url, { ...request, headers: { 'x-request-id': sentId, ...request.headers } });
  const id = answer.headers.find((line) => line.startsWith('x-request-id: '))?.slice('x-request-id: '.length);
  const shown = (text: string): string => (id === undefined ? text : text.replaceAll(id, 'the-id'));
  // A request before may have failed while some of its calls were still to come.
  const own = upstream.requests.filter(({ headers }) => headers['x-request-id'] === id);
  return {
    status: answer.status,
    headers: answer.headers.map(shown),
    ...errorsApart(shown(wholeIn(answer.text))),
    calls: own.map(({ path, rawQuery, headers }) => `${path}?${rawQuery} ${headers.authorization}`).sort(),
  };
}

/** A text, or the one event that it is; characters that end a line for some readers are written out in an event. */
function wholeIn(text: string): string {
  const [, event] = /^:\n\nevent: next\ndata: (.*)\n\nevent: complete\ndata:\n\n$/s.exec(text) ?? [];
  const plain = (each: string, code?: string): string =>
    code === undefined ? each : String.fromCharCode(parseInt(code, 16));
  return event?.replaceAll(/\\(?:u(0085|2028|2029)|.)/gs, plain) ?? text;
}

/** The text of a response without its errors, which stand apart. */
function errorsApart(text: string): Pick<Outcome, 'text' | 'errors'> {
  const { errors } = (text.startsWith('{"') ? JSON.parse(text) : {}) as { readonly errors?: readonly unknown[] };
  if (errors === undefined) return { text, errors: [] };
  const sorted = errors.map((error) => JSON.stringify(error)).toSorted();
  return { text: text.replace(JSON.stringify(errors), '[…]'), errors: sorted };
}

/** The data of a GraphQL response; undefined where it has none. */
export function dataOf({ text }: Outcome): unknown {
  return (JSON.parse(text.replace('"errors":[…]', '"errors":[]')) as { readonly data?: unknown }).data;
}

async function countsOf(gateway: Gateway): Promise<{ ways: Readonly<Record<Way, number>>; violations: number }> {
  const ways: Record<Way, number> = { bytes: 0, compiled: 0, general: 0 };
  let violations = 0;
  for (const { name, labels, value } of samplesOf(await scrape(gateway))) {
    if (name === 'switchboard_operations_total') ways[labels['way'] as Way] = value;
    if (name === 'switchboard_contract_violations_total') violations += value;
  }
  return { ways, violations };
}

/** How many operations a gateway has answered in each way. */
export async function waysOf(gateway: Gateway): Promise<Readonly<Record<Way, number>>> {
  return (await countsOf(gateway)).ways;
}

/** Does something; returns the ways in which a gateway has answered meanwhile, and how many broken promises of the upstream it counted. */
export async function countsDuring(gateway: Gateway, act: () => Promise<unknown>) {
  const before = await countsOf(gateway);
  await act();
  const { ways, violations } = await countsOf(gateway);
  const taken = (Object.keys(ways) as Way[]).filter((way) => ways[way] > before.ways[way]);
  return { ways: taken, violations: violations - before.violations };
}
