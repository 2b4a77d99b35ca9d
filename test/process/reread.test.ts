import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { startGatewayProgram } from '../support/program.ts';

const folder = mkdtempSync(join(tmpdir(), 'switchboard-reread-'));
afterAll(() => rmSync(folder, { recursive: true }));

const documents = (...ids: readonly string[]): string =>
  JSON.stringify(Object.fromEntries(ids.map((id) => [id, `query Named { ${id}: __typename }`])));

async function answers(url: string, ...ids: readonly string[]): Promise<readonly unknown[]> {
  return Promise.all(
    ids.map(async (id) => {
      const { data, errors } = (await (await fetch(`${url}/graphql?documentId=${id}`)).json()) as {
        data?: unknown;
        errors?: { extensions: { code: string } }[];
      };
      return data ?? errors?.[0]?.extensions.code;
    }),
  );
}

const unknown = 'PERSISTED_QUERY_NOT_FOUND';

test('SIGHUP reads trusted documents again, whole or not at all, and logs which', async () => {
  const path = join(folder, 'manifest.json');
  writeFileSync(path, documents('a', 'b'));
  const gateway = await startGatewayProgram({
    PERSISTED_OPERATIONS: path,
    PERSISTED_OPERATIONS_ONLY: 'true',
  });
  await using program = gateway.program;
  const { url } = gateway;
  expect(await answers(url, 'a', 'b', 'c')).toEqual([{ a: 'Query' }, { b: 'Query' }, unknown]);

  writeFileSync(path, documents('b', 'c'));
  program.kill('SIGHUP');
  await program.printed(/"identifiers":2,"msg":"trusted documents were read again"/);
  expect(await answers(url, 'a', 'b', 'c')).toEqual([unknown, { b: 'Query' }, { c: 'Query' }]);

  // The first document is good, the second is not: neither is taken.
  writeFileSync(path, JSON.stringify({ d: '{ d: __typename }', e: '{ nope }' }));
  program.kill('SIGHUP');
  await program.printed(
    /"error":"PERSISTED_OPERATIONS cannot be used: operation e cannot be served:[^\n]*"msg":"trusted documents could not be read again/,
  );
  expect(await answers(url, 'b', 'c', 'd')).toEqual([{ b: 'Query' }, { c: 'Query' }, unknown]);

  writeFileSync(path, '{"half":"{ __type');
  program.kill('SIGHUP');
  await program.printed(/cannot be read as JSON[^\n]*"msg":"trusted documents could not be read again/);
  expect(await answers(url, 'b', 'half')).toEqual([{ b: 'Query' }, unknown]);

  rmSync(path);
  program.kill('SIGHUP');
  await program.printed(/ENOENT[^\n]*"msg":"trusted documents could not be read again/);
  expect(await answers(url, 'b')).toEqual([{ b: 'Query' }]);

  writeFileSync(path, documents('f'));
  program.kill('SIGHUP');
  await program.printed(/"identifiers":1,"msg":"trusted documents were read again"/);
  expect(await answers(url, 'b', 'f')).toEqual([unknown, { f: 'Query' }]);
  program.kill('SIGTERM');
  expect(await program.ending).toEqual([0, null]);
});

test('a flood of SIGHUP while the documents are half written ends with the last whole ones, and nothing between', async () => {
  const path = join(folder, 'flooded.json');
  const version = (number: number): string =>
    JSON.stringify(
      Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`d${index}`, `{ v${number}: __typename }`])),
    );
  writeFileSync(path, version(0));
  const gateway = await startGatewayProgram({ PERSISTED_OPERATIONS: path });
  await using program = gateway.program;
  const last = 60;
  for (let number = 1; number <= last; number++) {
    const text = version(number);
    writeFileSync(path, text.slice(0, text.length / 2));
    program.kill('SIGHUP');
    // It has whole documents at all times.
    const [served] = await answers(gateway.url, 'd0');
    expect(JSON.stringify(served)).toMatch(/^\{"v\d+":"Query"\}$/);
    writeFileSync(path, text);
    program.kill('SIGHUP');
  }
  await expect
    .poll(() => answers(gateway.url, 'd0', 'd199'))
    .toEqual([{ [`v${last}`]: 'Query' }, { [`v${last}`]: 'Query' }]);
  program.kill('SIGTERM');
  expect(await program.ending).toEqual([0, null]);
});
