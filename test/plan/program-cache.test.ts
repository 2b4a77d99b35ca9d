import { describe } from 'vitest';
import { createProgramCache } from '../../src/graphql/plan/program-cache.ts';
import { expect, test, type Gateway } from '../support/gateway.ts';
import { ipConnectionRecord } from '../support/records.ts';
import { pageReply } from '../support/scripted-upstream.ts';
import { selectionOf } from '../support/selection.ts';

const program = (codeLength: number) => ({ roots: [], fields: [], codeLength });

describe('the cache of programs', () => {
  test('keeps what was used last, within its bound', () => {
    const cache = createProgramCache();
    cache.set('first', program(3_000_000));
    cache.set('second', program(3_000_000));
    expect(cache.get('first')?.codeLength).toBe(3_000_000);
    cache.set('third', program(3_000_000));
    expect(cache.get('second')).toBeUndefined();
    expect(cache.get('first')).not.toBeUndefined();
    expect(cache.get('third')).not.toBeUndefined();
  });

  test('keeps what is known to have no program, and not without end', () => {
    const cache = createProgramCache();
    cache.set('none', null);
    expect(cache.get('none')).toBeNull();
    for (let index = 0; index < 40_000; index++) cache.set(`none ${index}`, null);
    expect(cache.get('none')).toBeUndefined();
    expect(cache.get('none 39999')).toBeNull();
  });
});

async function ways(gateway: Gateway): Promise<readonly string[]> {
  const text = await (await gateway.fetch('/metrics')).text();
  return [...text.matchAll(/^switchboard_operations_total\{way="(\w+)"\} [1-9]/gm)].map(([, way = '']) => way);
}

test('an operation of which a program would be huge is answered the general way', async ({ startWith, upstream }) => {
  const gateway = await startWith({ LIMIT_COST: '1000000' });
  upstream.script((request) => pageReply([ipConnectionRecord({ id: 'c' })], request, 250));
  const fragment = `fragment F on IpConnection ${selectionOf(ipConnectionRecord())}`;
  const fields = Array.from({ length: 40 }, (_, index) => `a${index}: ipConnection(id: "c") { ...F }`).join(' ');
  const { data, errors } = await gateway.query(`{ ${fields} } ${fragment}`);
  expect(errors).toEqual([]);
  expect(data.a39.id).toBe('c');
  expect(await ways(gateway)).toEqual(['general']);
  await gateway.query('{ ipConnections { totalCount } }');
  expect(await ways(gateway)).toContain('compiled');
});
