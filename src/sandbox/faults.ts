import { routes } from '../generated/sandbox-routes.ts';
import { badGatewayPage, badParameter, Refusal, refusals, tooManyRequests } from './errors.ts';
import { defaultSize, sizeParameter, value } from './list.ts';
import type { Random } from './random.ts';
import { accounts, type Account, type Content, type Query, type RecordBody, type Route } from './world.ts';

/** What a fault changes of what the contract says. */
export interface Behaviour {
  /** The refusal of a call, if any; so many calls of the caller came before it, and `dice` is equal in each run. */
  readonly refuse?: (before: number, dice: Random) => Refusal | null;
  /** How late the response is, in milliseconds. */
  readonly delay?: number;
  /** The response never comes, its connection is reset, or it breaks off in the middle. */
  readonly ending?: 'never' | 'reset' | 'cut';
  /** Of a response header that a gateway in front obeys. */
  readonly order?: string;
  readonly query?: (query: Query) => Query;
  readonly body?: (body: RecordBody) => RecordBody;
}

/** What may stand behind the `=` of a fault. */
interface Argument {
  readonly is: string;
  readonly default: string;
  readonly takes: (text: string) => boolean;
}

/** The declaration of a fault: keys, header, documents and tests read this alone. */
interface Fault {
  readonly does: string;
  readonly argument?: Argument;
  /** The error code that a field of a gateway then has; absent where data come. */
  readonly code?: string;
  /** The endpoints that have it; absent: all. */
  readonly of?: readonly string[];
  readonly behave: (argument: string) => Behaviour;
}

function number(unit: string, usual: number, least: number, most: number): Argument {
  const isNumber = (text: string): boolean => /^\d{1,5}(?:\.\d{1,4})?$/.test(text);
  const takes = (text: string): boolean => isNumber(text) && Number(text) >= least && Number(text) <= most;
  return { is: `${unit}, ${least} to ${most}`, default: String(usual), takes };
}

function words(all: Readonly<Record<string, unknown>>): Argument {
  const [first = '', ...others] = Object.keys(all);
  return { is: [first, ...others].join(', '), default: first, takes: (text) => Object.hasOwn(all, text) };
}

function refusing(refusal: Refusal): Behaviour {
  return { refuse: () => refusal };
}

const failures = { json: refusals.unexpected, html: new Refusal(502, badGatewayPage), empty: new Refusal(503, '') };
const malformed: Readonly<Record<string, Behaviour>> = {
  html: refusing(new Refusal(200, badGatewayPage)),
  shape: refusing(new Refusal(200, { data: 'of another shape' })),
  value: { body: spoilOneValue },
};
const calls = number('calls', 5, 0, 10_000);
const seconds = number('seconds', 30, 1, 3_600);
const share = number('share', 0.3, 0, 1);
const milliseconds = number('milliseconds', 2_000, 0, 60_000);

const breakdown = 'charges_breakdown';
const reports = ['charges_summary', breakdown];
const failed = 'UPSTREAM_ERROR';
const unavailable = 'UPSTREAM_UNAVAILABLE';

// oxfmt-ignore
const faults = {
  'bad-request': { does: '400', code: 'BAD_USER_INPUT', behave: () => refusing(refusals.badRequest) },
  invalid: { does: '401', code: 'UNAUTHENTICATED', behave: () => refusing(refusals.authenticationFailed) },
  'unauthorized-after': { does: '401 after so many calls', argument: calls, code: 'UNAUTHENTICATED', behave: (most) => ({ refuse: (before) => (before >= Number(most) ? refusals.authenticationFailed : null) }) },
  forbidden: { does: '403', code: 'FORBIDDEN', behave: () => refusing(refusals.notAuthorized) },
  'not-found': { does: '404', code: 'NOT_FOUND', behave: () => refusing(refusals.notFound) },
  'unknown-account': { does: '422 on the billing reports', code: 'UNPROCESSABLE_ENTITY', of: reports, behave: () => refusing(refusals.unknownAccount) },
  'rate-limited': { does: '429 with `Retry-After` and `x-ratelimit-*`', argument: seconds, code: 'RATE_LIMITED', behave: (wait) => refusing(tooManyRequests(Math.ceil(Number(wait)))) },
  failing: { does: '500 in JSON, 502 in HTML, or an empty 503', argument: words(failures), code: failed, behave: (form) => refusing(failures[form as 'json']) },
  flaky: { does: '500 for a share of the calls, the same in each run', argument: share, code: failed, behave: (part) => ({ refuse: (_before, dice) => (dice.chance(Number(part)) ? refusals.unexpected : null) }) },
  slow: { does: 'answers late', argument: milliseconds, behave: (delay) => ({ delay: Number(delay) }) },
  'slow-report': { does: 'billing reports take two seconds', of: reports, behave: () => ({ delay: 2_000 }) },
  'slow-breakdown': { does: 'the charges breakdown takes two seconds, and nothing else does', of: [breakdown], behave: () => ({ delay: 2_000 }) },
  timeout: { does: 'never answers', code: 'UPSTREAM_TIMEOUT', behave: () => ({ ending: 'never' }) },
  down: { does: 'resets the connection', code: unavailable, behave: () => ({ ending: 'reset' }) },
  cut: { does: 'breaks off after half a body', code: unavailable, behave: () => ({ ending: 'cut' }) },
  malformed: { does: '200 with HTML, another shape, or a bad value in one field of one row', argument: words(malformed), code: 'UPSTREAM_BAD_RESPONSE', behave: (form) => malformed[form] ?? {} },
  'gateway-failing': { does: 'has the gateway fail by itself', code: 'INTERNAL_SERVER_ERROR', behave: () => ({ order: 'fail' }) },
  clamped: { does: 'pages have fewer rows at most; `meta.page_size` says so', argument: number('rows', 20, 1, 1_000), behave: (rows) => ({ query: clampedTo(Number(rows)) }) },
  'no-totals': { does: '`meta` has no totals', behave: () => ({ body: withoutTotals }) },
  'ignored-filters': { does: 'filters are ignored', behave: () => ({ query: withoutFilters }) },
  'published-shapes': { does: 'attempts have `errors` as objects, `headers` as text', behave: () => ({ body: (body) => ({ ...body, data: published(body.data) }) }) },
} satisfies Record<string, Fault>;

export type FaultName = keyof typeof faults;

/** All faults by name, for people and programs. */
export function listFaults() {
  return Object.entries<Fault>(faults).map(([name, { does, argument, code = null }]) => {
    const { is, default: usual } = argument ?? { is: null, default: null };
    return { name, does, argument: is, default: usual, code };
  });
}

/** The name of an endpoint: the last part of its path. */
export function nameOf({ path }: Pick<Route, 'path'>): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

export const endpointNames = routes.map(nameOf);

const allParts = [...Object.keys(accounts), ...Object.keys(faults), 'only='].join(', ');

/** Divides a key from the header X-Sandbox behind it: a gateway hands both on as one. */
const headerMark = '+x-sandbox+';

/**
 * Reads a bearer key and what stands in headers X-Sandbox, whose parts are joined by `+`; `name` is both, by which calls are counted.
 * Throws the refusal of a request without a key, of an argument that cannot be used, and of a part of a header that is none.
 */
export function callerOf(authorization: string | undefined, headers: readonly (string | undefined)[]) {
  const key = /^bearer +([\w.~+/-][\w.~+/=-]*)$/i.exec(authorization ?? '')?.[1];
  if (key === undefined) throw refusals.authenticationFailed;
  const asHeaders = headers.filter((header) => header !== undefined).map((header) => header.replaceAll(/[\s,]+/g, '+'));
  const name = [key, ...asHeaders].join(headerMark);
  const only = new Set<string>();
  const asked: { readonly of?: readonly string[] | undefined; readonly behaviour: Behaviour }[] = [];
  let account: Account = accounts.large;
  for (const [at, parts] of name.split(headerMark).entries()) {
    const origin = at === 0 ? 'Authorization' : 'X-Sandbox';
    for (const part of parts.split('+')) {
      const plain = part.replace(/-key$/, '');
      const [, word = '', argument = ''] = /^([^=]*)=?(.*)$/.exec(plain) ?? [];
      const fault: Fault | undefined = Object.hasOwn(faults, word) ? faults[word as FaultName] : undefined;
      if (fault !== undefined) asked.push({ of: fault.of, behaviour: behaviourOf(fault, word, argument, origin) });
      else if (Object.hasOwn(accounts, word)) account = accounts[word as keyof typeof accounts];
      else if (word === 'only' && endpointNames.includes(argument)) only.add(argument);
      else if (word === 'only') throw badParameter(origin, `only takes one of ${endpointNames.join(', ')}.`);
      else if (at > 0 && part !== '')
        throw badParameter(origin, `${JSON.stringify(part.slice(0, 100))} is no part of it: ${allParts} are.`);
    }
  }
  return {
    name,
    account,
    behaviours(endpoint: string): readonly Behaviour[] {
      if (only.size > 0 && !only.has(endpoint)) return [];
      return asked.flatMap(({ of = [endpoint], behaviour }) => (of.includes(endpoint) ? [behaviour] : []));
    },
  };
}

function behaviourOf({ argument, behave }: Fault, name: string, given: string, origin: string): Behaviour {
  const text = given === '' ? (argument?.default ?? '') : given;
  if (argument?.takes(text) ?? text === '') return behave(text);
  throw badParameter(origin, `${name} takes ${argument === undefined ? 'no argument' : `=${argument.is}`}.`);
}

export function changedContent(
  behaviours: readonly Behaviour[],
  query: Query,
  read: (query: Query) => Content,
): Content {
  const understood = behaviours.reduce((changed, behaviour) => behaviour.query?.(changed) ?? changed, query);
  const change = (content: Content, behaviour: Behaviour): Content =>
    'data' in content ? (behaviour.body?.(content) ?? content) : content;
  return behaviours.reduce(change, read(understood));
}

// Fields that some row or report has, and that no object fits.
const spoiled = ['active', 'name', 'status', 'currency'];

function spoilOneValue(body: RecordBody): RecordBody {
  const [first = body.data, ...rest] = Array.isArray(body.data) ? body.data : [];
  const name = spoiled.find((one) => Object.hasOwn(Object(first), one));
  if (name === undefined) return body;
  const bad = { ...(first as object), [name]: {} };
  return { ...body, data: Array.isArray(body.data) ? [bad, ...rest] : bad };
}

function clampedTo(most: number): (query: Query) => Query {
  return (query) => {
    if (!(Number(value(query, sizeParameter) ?? defaultSize) > most)) return query;
    const clamped = new URLSearchParams(query);
    clamped.set(sizeParameter, String(most));
    return clamped;
  };
}

function withoutTotals(body: RecordBody): RecordBody {
  const { total_results: _results, total_pages: _pages, ...meta } = body.meta ?? {};
  return body.meta === undefined ? body : { ...body, meta };
}

function withoutFilters(query: Query): Query {
  return new URLSearchParams([...query].filter(([name]) => !name.startsWith('filter[')));
}

const reasonByCode: Readonly<Record<string, [title: string, detail: string]>> = {
  75001: ['Connection failed', 'The receiver could not be reached.'],
  75002: ['Time-out', 'The receiver did not answer in time.'],
};

/** The items of these lists as the API's own examples have them. */
const publishedItems: Readonly<Record<string, (item: unknown) => unknown>> = {
  errors(item) {
    const code = String(item);
    const [title, detail] = reasonByCode[code] ?? ['Delivery failed', 'The receiver did not accept the event.'];
    return { code, title, detail };
  },
  headers: (header) => (header as [name: string, text: string]).join(': '),
};

/** What it holds in the shapes of the API's own examples: errors of attempts as objects, headers as texts. */
function published(held: unknown, name = ''): unknown {
  if (Array.isArray(held)) return held.map((item) => (publishedItems[name] ?? published)(item));
  // A number of any size is an object without a prototype.
  if ((held as object | null | undefined)?.constructor !== Object) return held;
  return Object.fromEntries(Object.entries(held as object).map(([key, member]) => [key, published(member, key)]));
}
