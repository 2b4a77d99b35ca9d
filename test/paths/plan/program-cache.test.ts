import { describe } from 'vitest';
import { programCacheBytes } from '../../../src/bounds.ts';
import { createProgramCache } from '../../../src/graphql/execution/plan/plan.ts';
import { expect, test, type Gateway } from '../../support/gateway.ts';
import { ipConnectionRecord } from '../../support/records.ts';
import { pageReply } from '../../support/scripted-upstream.ts';
import { selectionOf } from '../../support/selection.ts';

// Three of them do not fit.
const third = Math.ceil(programCacheBytes / 3);

describe('the cache of programs', () => {
  test('keeps the programs that were used last, of all plans, within its bound', () => {
    const remember = createProgramCache();
    const made: string[] = [];
    const plan = (name: string) =>
      remember((values) => {
        made.push(`${name} ${String(values)}`);
        return { weight: third };
      });
    const [one, other] = [plan('one'), plan('other')];
    one([true]);
    other([false]);
    one([true]);
    other([true]);
    expect(made).toEqual(['one true', 'other false', 'other true']);
    one([true]);
    other([true]);
    expect(made).toHaveLength(3);
    other([false]);
    expect(made).toHaveLength(4);
  });

  test('remembers operations without a program, within its bound', () => {
    const remember = createProgramCache();
    let made = 0;
    const count = (): null => {
      made++;
      return null;
    };
    const first = remember(count);
    first([]);
    first([]);
    expect(made).toBe(1);
    const others = Array.from({ length: programCacheBytes / 500 }, () => remember(count));
    for (const other of others) other([]);
    expect(made).toBe(1 + others.length);
    first([]);
    others.at(-1)?.([]);
    expect(made).toBe(2 + others.length);
  });
});

async function paths(gateway: Gateway): Promise<readonly string[]> {
  const text = await (await gateway.fetch('/metrics')).text();
  return [...text.matchAll(/^switchboard_operations_total\{way="(\w+)"\} [1-9]/gm)].map(([, path = '']) => path);
}

test('an operation whose code would be huge is written from bytes, and takes the general path where they give up', async ({
  startWith,
  upstream,
}) => {
  const gateway = await startWith({ LIMIT_COST: '1000000' });
  // The one secret is for plans.
  const selection = selectionOf(ipConnectionRecord()).replace('ipAuthenticationToken', '');
  const fragment = `fragment F on IpConnection ${selection}`;
  const fields = Array.from({ length: 40 }, (_, index) => `a${index}: ipConnections { nodes { ...F } }`).join(' ');
  upstream.script((request) => pageReply([ipConnectionRecord({ id: 'c' })], request, 250));
  expect((await gateway.query(`{ ${fields} } ${fragment}`)).data.a39.nodes[0].id).toBe('c');
  expect(await paths(gateway)).toEqual(['bytes']);
  upstream.requests.length = 0;
  upstream.script((request) => pageReply([ipConnectionRecord({ id: 'c', tags: 7 })], request, 250));
  const { data, errors } = await gateway.query(`{ ${fields} } ${fragment}`);
  // Of one field's values so many are reported.
  expect([data.a39.nodes[0].id, errors.length]).toEqual(['c', 20]);
  expect(await paths(gateway)).toEqual(['bytes', 'general']);
  expect(upstream.requests).toHaveLength(1);
});

test('an operation whose program would be huge takes the general path', async ({ startWith, upstream }) => {
  const gateway = await startWith({ LIMIT_COST: '1000000' });
  upstream.script((request) => pageReply([ipConnectionRecord({ id: 'c' })], request, 250));
  const fragment = `fragment F on IpConnection ${selectionOf(ipConnectionRecord())}`;
  const fields = Array.from({ length: 40 }, (_, index) => `a${index}: ipConnection(id: "c") { ...F }`).join(' ');
  const { data, errors } = await gateway.query(`{ ${fields} } ${fragment}`);
  expect(errors).toEqual([]);
  expect(data.a39.id).toBe('c');
  expect(await paths(gateway)).toEqual(['general']);
  await gateway.query('{ ipConnection(id: "c") { id } }');
  expect(await paths(gateway)).toContain('compiled');
});
