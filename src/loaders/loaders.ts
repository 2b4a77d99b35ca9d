import DataLoader from 'dataloader';
import { createCall, type Arguments, type Call, type PageRequest } from '../upstream/call.ts';
import type { Caller, Client } from '../upstream/client.ts';
import type { Operation } from '../upstream/operation.ts';

/** What resolvers read from: one loader for each operation, made for one request and gone with it. */
export interface Loaders {
  /** Equal calls of one request are made once; one that fails costs only those who asked for it. */
  load<Body>(operation: Operation<Body>, args: Arguments, page?: PageRequest): Promise<Body>;
}

/** The loaders of one request, on behalf of its caller. */
export function createLoaders(client: Client, caller: Caller): Loaders {
  const loaders = new Map<Operation<unknown>, DataLoader<Call<unknown>, unknown, string>>();

  function loaderOf(operation: Operation<unknown>): DataLoader<Call<unknown>, unknown, string> {
    const existing = loaders.get(operation);
    if (existing !== undefined) return existing;
    const loader = createLoader(client, caller);
    loaders.set(operation, loader);
    return loader;
  }

  return {
    async load<Body>(operation: Operation<Body>, args: Arguments, page?: PageRequest) {
      const call = createCall(operation, args, page);
      return (await loaderOf(operation).load(call)) as Body;
    },
  };
}

function createLoader(client: Client, caller: Caller): DataLoader<Call<unknown>, unknown, string> {
  const one = async (call: Call<unknown>): Promise<unknown> => {
    try {
      return await client.get(call, caller);
    } catch (error) {
      // As a value, so that it fails its own key and not the batch.
      return error;
    }
  };
  return new DataLoader((calls) => Promise.all(calls.map(one)), { cacheKeyFn: (call) => call.queryString });
}
