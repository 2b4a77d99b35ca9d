import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { refusingUpstream, startGatewayProgram } from '../support/process.ts';

const documents = (...ids: readonly string[]): string =>
  JSON.stringify(Object.fromEntries(ids.map((id) => [id, `query Named { ${id}: __typename }`])));

async function answer(url: string, id: string): Promise<unknown> {
  const { data, errors } = (await (await fetch(`${url}/graphql?documentId=${id}`)).json()) as {
    data?: unknown;
    errors?: { extensions: { code: string } }[];
  };
  return data ?? errors?.[0]?.extensions.code;
}

const unknown = 'PERSISTED_QUERY_NOT_FOUND';

test('SIGHUP has every worker read trusted documents again, whole or not at all, and logs which', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-reread-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'manifest.json');
  writeFileSync(path, documents('a', 'b'));
  const gateway = await startGatewayProgram({
    WORKERS: '2',
    UPSTREAM_BASE_URL: refusingUpstream,
    PERSISTED_OPERATIONS: path,
    PERSISTED_OPERATIONS_ONLY: 'true',
  });
  await using program = gateway.program;
  const { url } = gateway;
  const reread = async (text: string, twice: RegExp): Promise<void> => {
    writeFileSync(path, text);
    program.kill('SIGHUP');
    await program.printed(twice);
  };
  expect(await Promise.all(['a', 'b', 'c'].map((id) => answer(url, id)))).toEqual([
    { a: 'Query' },
    { b: 'Query' },
    unknown,
  ]);

  await reread(documents('b', 'c'), /(?:"identifiers":2,"msg":"trusted documents were read again"[^]*){2}/);
  expect(await Promise.all(['a', 'b', 'c'].map((id) => answer(url, id)))).toEqual([
    unknown,
    { b: 'Query' },
    { c: 'Query' },
  ]);

  // The first document is good, the second is not: neither is taken.
  await reread(
    JSON.stringify({ d: '{ d: __typename }', e: '{ nope }' }),
    /(?:operation e cannot be served:[^\n]*"msg":"trusted documents could not be read again[^]*){2}/,
  );
  await reread('{"half":"{ __type', /(?:cannot be read as JSON[^\n]*"msg":"trusted documents could not[^]*){2}/);
  expect(await Promise.all(['b', 'c', 'd'].map((id) => answer(url, id)))).toEqual([
    { b: 'Query' },
    { c: 'Query' },
    unknown,
  ]);
  program.kill('SIGTERM');
  expect(await program.ending).toEqual([0, null]);
});
