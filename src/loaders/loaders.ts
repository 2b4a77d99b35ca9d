import DataLoader from 'dataloader';
import type { Arguments } from '../upstream/arguments.ts';
import { createCall, type Call, type PageRequest } from '../upstream/call.ts';
import type { Caller, Client } from '../upstream/client.ts';
import type { ListOperation, Operation } from '../upstream/operation.ts';

/** What resolvers read from: one loader for each operation, made for one request and gone with it. */
export interface Loaders {
  /**
   * Equal calls of one request are made once; one that fails costs only those who asked for it. `fresh` makes the call
   * again, for a reader that has seen the list change.
   */
  load<Body>(operation: Operation<Body>, args: Arguments, page?: PageRequest, fresh?: boolean): Promise<Body>;
  /** The rows of all pages of a list that this request has asked for so far; pages that failed are left out. */
  rowsOf<Row>(operation: ListOperation<Row>): Promise<readonly (Row | null)[]>;
}

/** The loaders of one request, on behalf of its caller. */
export function createLoaders(client: Client, caller: Caller): Loaders {
  const byOperation = new Map<unknown, DataLoader<Call<unknown>, unknown, string>>();
  const pages = new Map<unknown, Promise<unknown>[]>();

  return {
    async load<Body>(operation: Operation<Body>, args: Arguments, page?: PageRequest, fresh = false) {
      const call = createCall(operation, args, page);
      const loader = getOrCreate(byOperation, operation, () => createLoader(client, caller));
      if (fresh) loader.clear(call);
      const body = loader.load(call);
      if (page !== undefined) getOrCreate(pages, operation, () => []).push(body);
      return (await body) as Body;
    },
    async rowsOf<Row>(operation: ListOperation<Row>) {
      const settled = await Promise.allSettled(pages.get(operation) ?? []);
      return settled.flatMap((page) =>
        page.status === 'fulfilled' ? (page.value as ReturnType<typeof operation.read>).rows : [],
      );
    },
  };
}

function getOrCreate<Value>(map: Map<unknown, Value>, key: unknown, create: () => Value): Value {
  const existing = map.get(key);
  if (existing !== undefined) return existing;
  const value = create();
  map.set(key, value);
  return value;
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
  return new DataLoader((calls) => Promise.all(calls.map(one)), {
    // Each key is a call of its own, so there is no batch worth waiting for.
    batchScheduleFn: queueMicrotask,
    cacheKeyFn: (call) => `${call.path}?${call.queryString}`,
  });
}
