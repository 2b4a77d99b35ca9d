import { Environment, Network, Observable, RecordSource, Store } from 'relay-runtime';
import {
  createFetch,
  createSubscribe,
  getDataID,
  missingFieldHandlers,
  type Access,
} from '../../../client/src/relay.ts';

/** A Relay environment before a gateway. */
export function createEnvironment(access: Access): Environment {
  return new Environment({
    network: Network.create(createFetch(Observable, access), createSubscribe(Observable, access)),
    store: new Store(new RecordSource()),
    getDataID,
    missingFieldHandlers,
  });
}
