import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { folderWriter } from '../../../support/files.ts';
import { expect, test } from '../../../support/gateway.ts';

const suite = fileURLToPath(
  new URL('../node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url),
);

/** Scenarios that a server of read-only tools can pass, with the documents of the tools that they name. */
const scenarios = [
  'server-initialize',
  'ping',
  'tools-list',
  'tools-call-simple-text',
  'tools-call-error',
  'dns-rebinding-protection',
];
const folder = folderWriter()({
  'a.graphql': '"Returns text" query test_simple_text { __typename }',
  'b.graphql': '"Fails" query test_error_handling { missions(first: -1) { totalCount } }',
});

const run = async (...args: readonly string[]): Promise<string> => {
  const { stdout } = await promisify(execFile)(process.execPath, [suite, ...args], { cwd: folder }).catch(
    (error: { readonly stdout: string }) => error,
  );
  return stdout;
};

test.for(scenarios)('the conformance suite passes: %s', async (scenario, { startWith }) => {
  const gateway = await startWith({ MCP: 'true', MCP_OPERATIONS: folder });
  const output = await run('server', '--url', `${gateway.url}/mcp`, '--scenario', scenario, '-o', join(folder, 'out'));
  expect(output).toMatch(/Passed: (\d+)\/\1, 0 failed/);
});
