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

const accepts = ['multipart/mixed', 'text/event-stream', 'application/json', 'application/graphql-response+json'];
const keys = [null, 'good', 'fails'];

/** A directive with a bad argument, and the variable that it takes. */
type BadDirective = readonly [directive: string, definition?: string, variables?: Readonly<Record<string, unknown>>];

const defers: readonly BadDirective[] = [
  ['@defer(if: $if)', '$if: Boolean = true', { if: null }],
  ['@defer(if: $if, label: "a")', '$if: Boolean = false', { if: null }],
];
const conditions: readonly BadDirective[] = [
  ['@skip(if: $if)', '$if: Boolean = true', { if: null }],
  ['@include(if: $if) @defer', '$if: Boolean = true', { if: null }],
];

const history = 'chargesHistory(startDate: "2026-05-01", endDate: "2026-11-01")';

function query(selection: string, definition = ''): string {
  return `query ${definition && `(${definition})`} { ${selection} __typename }`;
}

describe.for(accepts)('for who takes %s', (accept) => {
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
});
