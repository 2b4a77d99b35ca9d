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

/** The results of a response, whatever its form. */
function resultsOf(text: string): readonly unknown[] {
  return [...text.matchAll(/^(?:data: )?(\{.*\})\r?$/gm)].map(([, json = '']) => JSON.parse(json) as unknown);
}

const accepts = ['multipart/mixed', 'text/event-stream', 'application/json', 'application/graphql-response+json'];
const keys = [null, 'good', 'fails'];

/** Directives whose argument is a variable that is null. */
const directives = [
  ['@defer(if: $if)', 'true'],
  ['@defer(if: $if, label: "a")', 'false'],
  ['@skip(if: $if)', 'true'],
  ['@include(if: $if) @defer', 'true'],
] as const;
const history = 'chargesHistory(startDate: "2026-05-01", endDate: "2026-11-01") { currency }';
const before = `nodes(nodeIds: ["x"]) { nodeId } ${history}`;

test.for(accepts)(
  'a bad condition of a fragment is no internal error for who takes %s',
  async (accept, { gateway, upstream }) => {
    prepare(upstream);
    for (const [directive, fallback] of directives)
      for (const fragment of [`... ${directive} { ${history} }`, `missions { nodes { ... ${directive} { id } } }`])
        for (const selection of [fragment, `${before} ${fragment}`])
          for (const key of keys) {
            const query = `query ($if: Boolean = ${fallback}) { ${selection} __typename }`;
            const text = await ask(gateway, { query, variables: { if: null } }, accept, key);
            expect(resultsOf(text).length).toBeGreaterThan(0);
            expect(text).not.toContain('INTERNAL_SERVER_ERROR');
          }
  },
);
