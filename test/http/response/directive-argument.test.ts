import { describe } from 'vitest';
import { expect, test, type Gateway } from '../../support/gateway.ts';
import { healthyReply } from '../../support/root-fields.ts';
import type { ScriptedUpstream } from '../../support/scripted-upstream.ts';

// A promise that is left unhandled fails the run.
function prepare(upstream: ScriptedUpstream): void {
  upstream.script((request) =>
    request.headers.authorization === 'Bearer good' ? healthyReply(request) : { status: 500, text: 'oops' },
  );
}

async function ask(gateway: Gateway, body: object, accept: string, key: string | null): Promise<string> {
  const headers = { 'content-type': 'application/json', accept, ...(key && { authorization: `Bearer ${key}` }) };
  const response = await gateway.fetch('/graphql', { method: 'POST', headers, body: JSON.stringify(body) });
  return response.text();
}

interface Result {
  readonly data?: Readonly<Record<string, unknown>> | null;
  readonly errors?: readonly { readonly path?: readonly unknown[]; readonly extensions: { readonly code: string } }[];
  readonly incremental?: readonly Result[];
}

/** The results of a response, whatever its form. */
function resultsOf(text: string): readonly Result[] {
  return [...text.matchAll(/^(?:data: )?(\{.*\})\r?$/gm)].map(([, json = '']) => JSON.parse(json) as Result);
}

function errorsOf({ errors = [], incremental = [] }: Result): NonNullable<Result['errors']> {
  return [...errors, ...incremental.flatMap(errorsOf)];
}

const accepts = ['multipart/mixed', 'text/event-stream', 'application/json', 'application/graphql-response+json'];
const keys = [null, 'good', 'fails'];

/** A directive with a bad argument, and the variable that it takes. */
type BadDirective = readonly [directive: string, definition?: string, variables?: Readonly<Record<string, unknown>>];

const streams: readonly BadDirective[] = [
  ['@stream(initialCount: -1)'],
  ['@stream(initialCount: -2147483648, label: "a")'],
  ['@stream(initialCount: null)'],
  ['@stream(initialCount: $count)', '$count: Int', { count: -7 }],
  ['@stream(initialCount: $count)', '$count: Int', { count: null }],
  ['@stream(initialCount: $count)', '$count: Int = -7'],
  ['@stream(if: $if)', '$if: Boolean = true', { if: null }],
  ['@stream(if: true, initialCount: $count)', '$count: Int', { count: -1 }],
];
const defers: readonly BadDirective[] = [
  ['@defer(if: $if)', '$if: Boolean = true', { if: null }],
  ['@defer(if: $if, label: "a")', '$if: Boolean = false', { if: null }],
];
const conditions: readonly BadDirective[] = [
  ['@skip(if: $if)', '$if: Boolean = true', { if: null }],
  ['@include(if: $if) @defer', '$if: Boolean = true', { if: null }],
];

const history = 'chargesHistory(startDate: "2026-05-01", endDate: "2026-11-01")';
const entity = '{ __typename: "IpConnection", id: "x" }';
const entities = `_entities(representations: [${entity}, ${entity}])`;
const lists: readonly (readonly [name: string, make: (directive: string) => string, key: string])[] = [
  ['nodes', (directive) => `nodes(nodeIds: ["x", "y"]) ${directive} { nodeId }`, 'nodes'],
  ['chargesHistory', (directive) => `${history} ${directive} { currency }`, 'chargesHistory'],
  ['_entities', (directive) => `${entities} ${directive} { __typename }`, '_entities'],
  ['an alias', (directive) => `a: nodes(nodeIds: ["x"]) ${directive} { nodeId }`, 'a'],
  ['a fragment', (directive) => `... on Query { nodes(nodeIds: ["x"]) ${directive} { nodeId } }`, 'nodes'],
  ['a deferred fragment', (directive) => `... @defer { ${history} ${directive} { currency } }`, 'chargesHistory'],
  ['rows', (directive) => `missions { nodes ${directive} { id } }`, 'missions'],
  ['edges', (directive) => `missions { edges ${directive} { node { id } } }`, 'missions'],
  [
    'a list of a record',
    (directive) => `webhookDeliveries { nodes { attempts ${directive} { status } } }`,
    'webhookDeliveries',
  ],
];

function query(selection: string, definition = ''): string {
  return `query ${definition && `(${definition})`} { ${selection} __typename }`;
}

describe.for(accepts)('for who takes %s', (accept) => {
  test.for(lists)(
    'a bad argument of @stream at %s costs that field alone',
    async ([, make, key], { gateway, upstream }) => {
      prepare(upstream);
      for (const [directive, definition, variables] of streams) {
        for (const caller of keys) {
          const text = await ask(gateway, { query: query(make(directive), definition), variables }, accept, caller);
          const errors = resultsOf(text).flatMap(errorsOf);
          expect([text, errors.length]).toEqual([text, expect.toSatisfy((count: number) => count > 0)]);
          for (const { path } of errors) expect(path?.[0]).toBe(key);
          expect(text).not.toContain('INTERNAL_SERVER_ERROR');
          if (caller === 'good') for (const { extensions } of errors) expect(extensions.code).toBe('BAD_USER_INPUT');
          // The schema of federation promises a list there.
          if (key !== '_entities') expect(resultsOf(text)[0]?.data?.['__typename']).toBe('Query');
        }
      }
    },
  );

  test('a bad condition of a fragment causes no internal error', async ({ gateway, upstream }) => {
    prepare(upstream);
    for (const [directive, definition, variables] of [...defers, ...conditions]) {
      for (const fragment of [
        `... ${directive} { ${history} { currency } }`,
        `missions { nodes { ... ${directive} { id } } }`,
      ]) {
        for (const before of ['', `nodes(nodeIds: ["x"]) { nodeId } ${history} { currency }`]) {
          for (const caller of keys) {
            const text = await ask(
              gateway,
              { query: query(`${before} ${fragment}`, definition), variables },
              accept,
              caller,
            );
            expect(resultsOf(text).length).toBeGreaterThan(0);
            expect(text).not.toContain('INTERNAL_SERVER_ERROR');
          }
        }
      }
    }
  });

  test('introspection is never deferred or streamed, whatever its directives are', async ({ gateway }) => {
    for (const [directive, definition, variables] of streams) {
      const text = await ask(
        gateway,
        { query: query(`__schema { types ${directive} { name } }`, definition), variables },
        accept,
        null,
      );
      expect(text).not.toContain('INTERNAL_SERVER_ERROR');
      expect(text).toContain('"__typename":"Query"');
    }
  });
});

test.for(streams)(
  'a subscription with %s begins, and has its error at the list',
  async ([directive, definition, variables], { gateway, upstream }) => {
    prepare(upstream);
    const selection = `webhookDeliveries { attempts ${directive} { status } }`;
    const text = await ask(
      gateway,
      { query: `subscription ${definition === undefined ? '' : `(${definition})`} { ${selection} }`, variables },
      'text/event-stream',
      'fails',
    );
    expect(text).not.toContain('INTERNAL_SERVER_ERROR');
  },
);
