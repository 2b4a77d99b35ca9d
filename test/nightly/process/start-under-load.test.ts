import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { get } from '../../support/http.ts';
import { listening, main, startProgram } from '../../support/process.ts';
import { startScriptedUpstream } from '../../support/scripted-upstream.ts';

const seven = '{"data":{"missions":{"totalCount":7}}}';

// It has to know the port beforehand, which another program may take meanwhile.
test('a start under load answers every request from the moment that it says so', async () => {
  const upstream = await startScriptedUpstream();
  onTestFinished(() => upstream.close());
  upstream.script(() => ({ json: { data: [{ mission_id: 'a' }], meta: { total_results: 7 } } }));
  const placeholder = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => placeholder.once('listening', resolve));
  const { port } = placeholder.address() as AddressInfo;
  await new Promise((resolve) => placeholder.close(resolve));
  const ask = async () => (await get(`http://127.0.0.1:${port}/graphql?query={missions(first:1){totalCount}}`)).text;

  const over = new AbortController();
  const early: string[] = [];
  const load = Array.from({ length: 2 }, async () => {
    while (!over.signal.aborted) early.push(await ask());
  });
  await using program = startProgram(main, { PORT: String(port), UPSTREAM_BASE_URL: upstream.baseUrl });
  await program.printed(listening);
  expect(new Set(await Promise.all(Array.from({ length: 50 }, ask)))).toEqual(new Set([seven]));
  over.abort();
  await Promise.all(load);
  // Before the process listened, connections were refused; none was accepted and then dropped.
  expect([...new Set(early)].sort()).toEqual(['ECONNREFUSED', seven]);
});
