import { serverAudits } from 'graphql-http';
import { expect, testOfFile as test } from '../support/gateway.ts';

// Where the gateway of this file listens is known when its tests begin.
let url = '';
const audits = serverAudits({ url: () => url, fetchFn: fetch });

test.for(audits)('GraphQL over HTTP $id: $name', async ({ name, fn }, { gateway, upstream, skip }) => {
  url = `${gateway.url}/graphql`;
  const result = await fn();
  if (result.status !== 'ok' && name.startsWith('MAY')) skip(`not done, and need not be: ${result.reason}`);
  expect(result).toMatchObject({ status: 'ok' });
  expect(upstream.requests).toEqual([]);
});
