import { createHook } from 'node:async_hooks';
import { nodeIdOf } from '../lists/look-up/kind.ts';
import { expect, judge, test, type Gateway } from '../support/gateway.ts';
import { refusal } from '../support/scripted-upstream.ts';

const many = <Value>(count: number, make: (index: number) => Value): readonly Value[] =>
  Array.from({ length: count }, (_, index) => make(index));
const refused = refusal(401, '10009', 'Authentication failed', 'No.');

const nodes = 'nodes(nodeIds: $list) { nodeId }';
const entities = '_entities(representations: $list) { __typename }';
const lists: Readonly<Record<string, readonly [type: string, field: string, item: (index: number) => unknown]>> = {
  'nodes of one type': ['ID!', nodes, (index) => nodeIdOf('Mission', `m${index}`, null)],
  'nodes that are none': ['ID!', nodes, (index) => `bad ${index}`],
  entities: ['_Any!', entities, (index) => ({ __typename: 'Mission', id: `m${index}` })],
  'entities that are none': ['_Any!', entities, (index) => index],
};

/** How many promises are made meanwhile, in all of this process. */
async function countWhile(act: () => Promise<unknown>): Promise<number> {
  let count = 0;
  const hook = createHook({ init: (_id, type) => void (type === 'PROMISE' && count++) });
  hook.enable();
  try {
    await act();
  } finally {
    hook.disable();
  }
  return count;
}

/** Promises that are made while ten fields are given a list of so many. */
async function promisesFor(gateway: Gateway, name: string, length: number, key: string | null): Promise<number> {
  const [type = '', field = '', item] = lists[name] ?? [];
  const query = `query ($list: [${type}]!) { ${many(10, (index) => `a${index}: ${field}`).join(' ')} }`;
  return countWhile(async () => {
    const { errors } = await gateway.query(query, { variables: { list: many(length, item ?? String) }, key });
    expect(errors).toHaveLength(Math.min(100, 10 * length));
  });
}

test.for(Object.keys(lists))(
  'a list of references makes as many promises for 400 failures as for 100: %s',
  async (name, { startWith, upstream }) => {
    upstream.script(() => refused);
    for (const options of [{}, judge]) {
      const gateway = await startWith({}, options);
      for (const key of [null, 'made-up-key']) {
        await promisesFor(gateway, name, 100, key);
        const few = await promisesFor(gateway, name, 100, key);
        const more = await promisesFor(gateway, name, 400, key);
        // One for each of ten fields, and not for each of three thousand places.
        expect(more - few).toBeLessThan(100);
      }
    }
  },
);
