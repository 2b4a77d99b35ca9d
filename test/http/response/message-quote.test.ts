import fc from 'fast-check';
import { quoteLength } from '../../../src/bounds.ts';
import { places } from './long-place.ts';
import { hostileText, units } from '../../support/odd-text.ts';
import { expect, testOfFile as test } from '../../support/gateway.ts';
import { runs } from '../../support/runs.ts';

// The words around the quote, and its quotation marks twice.
const mostLength = 2 * quoteLength;
// Where many names are quoted, the words between them are longer.
const mostLengthOfMany = quoteLength + 300;

/** Requests in which a text is wrong wherever it stands. */
const wrongs: readonly ((text: string) => object)[] = [
  (text) => ({ query: 'query ($v: Int) { missions(first: $v) { totalCount } }', variables: { v: text } }),
  (text) => ({ query: 'query ($v: Int) { missions(first: $v) { totalCount } }', variables: { v: [text, text] } }),
  (text) => ({
    query: 'query ($v: IpConnectionFilter) { ipConnections(filter: $v) { totalCount } }',
    variables: { v: { [text]: text } },
  }),
  (text) => ({
    query: 'query ($v: IpConnectionOrder) { ipConnections(orderBy: $v) { totalCount } }',
    variables: { v: { field: text } },
  }),
  (text) => ({ query: `{ missions(first: ${JSON.stringify(text)}) { totalCount } }` }),
  (text) => ({ query: `{ missions(first: """${text.replaceAll('"""', '')}""") { totalCount } }` }),
  (text) => ({ query: `{ ${JSON.stringify(text)} }` }),
  (text) => ({ query: `{ ${text} ` }),
  (text) => ({ query: '{ __typename }', operationName: text || '?' }),
];

test('a message quotes a short part of the request, whatever its characters are', async ({ gateway }) => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...wrongs), hostileText(20_000), async (wrong, text) => {
      const response = await gateway.fetch('/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(wrong(text)),
      });
      const { errors } = (await response.json()) as { readonly errors: readonly { readonly message: string }[] };
      for (const { message } of errors) expect(message.length).toBeLessThan(mostLength);
    }),
    {
      numRuns: runs(40),
      examples: [
        [wrongs[0], '"'.repeat(20_000)],
        [wrongs[0], '\\'.repeat(20_000)],
        [wrongs[2], '"'.repeat(20_000)],
      ] as [(text: string) => object, string][],
    },
  );
});

test('no error quotes a long text of the request, wherever it stands', async ({ gateway }) => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...Object.keys(places)), fc.constantFrom(...units), async (name, unit) => {
      const { target, headers, body } = places[name]!((length) => unit.repeat(length / unit.length), 1);
      const response = await gateway.fetch(target, {
        method: body === null ? 'GET' : 'POST',
        headers: headers.map(([header, value]) => [header, value.trim()] as [string, string]),
        ...(body !== null && { body: body.toString() }),
      });
      const text = await response.text();
      if (!response.headers.get('content-type')?.includes('json')) return;
      const { errors = [] } = JSON.parse(text) as { readonly errors?: readonly { readonly message: string }[] };
      for (const { message } of errors) expect(message.length, message).toBeLessThanOrEqual(mostLengthOfMany);
    }),
    { numRuns: runs(60) },
  );
});
