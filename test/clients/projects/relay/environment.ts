import { Environment, Network, Observable, RecordSource, Store } from 'relay-runtime';
import { createFetch, createSubscribe, getDataID, missingFieldHandlers } from '../../../../client/src/relay.ts';

/** A Relay environment before the gateway at a URL, with its caller's key. */
export function createEnvironment(url: string, key: string): Environment {
  const access = { url, key };
  return new Environment({
    network: Network.create(createFetch(Observable, access), createSubscribe(Observable, access)),
    store: new Store(new RecordSource()),
    getDataID,
    missingFieldHandlers,
  });
}
