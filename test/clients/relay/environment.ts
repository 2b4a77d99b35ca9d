import { Environment, Network, RecordSource, Store } from 'relay-runtime';
import type { Gateway } from '../../support/gateway.ts';

/** A Relay environment as a frontend has it, in front of a gateway. */
export function createEnvironment(gateway: Gateway): Environment {
  return new Environment({
    network: Network.create(async ({ text }, variables) => {
      const response = await gateway.fetch('/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: 'Bearer relay-key' },
        body: JSON.stringify({ query: text, variables }),
      });
      return response.json();
    }),
    store: new Store(new RecordSource()),
    // Relay takes `id` for what names an object everywhere; in this schema that is `nodeId`.
    getDataID: ({ nodeId }) => nodeId,
  });
}
