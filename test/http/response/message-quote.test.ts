import fc from 'fast-check';
import { quoteLength } from '../../../src/bounds.ts';
import { places } from '../../nightly/sockets/long-place.ts';
import { units, runs } from '../../support/runs.ts';
import { expect, testOfFile as test } from '../../support/gateway.ts';

// Where many names are quoted, the words between them are longer.
const mostLengthOfMany = quoteLength + 300;

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
