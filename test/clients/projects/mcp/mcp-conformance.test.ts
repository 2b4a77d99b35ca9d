import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll } from 'vitest';
import { expect, test } from '../../../support/gateway.ts';

const suite = fileURLToPath(
  new URL('../node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url),
);
const folder = mkdtempSync(join(tmpdir(), 'switchboard-conformance-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Scenarios that a server of read-only tools can pass, with the documents of the tools that they name. */
const scenarios = [
  'server-initialize',
  'ping',
  'tools-list',
  'tools-call-simple-text',
  'tools-call-error',
  'dns-rebinding-protection',
];
const documents: Readonly<Record<string, string>> = {
  'a.graphql': '"Returns text" query test_simple_text { __typename }',
  'b.graphql': '"Fails" query test_error_handling { missions(first: -1) { totalCount } }',
};

/** Scenarios of what this server does not have, by the reason. */
const others: Readonly<Record<string, string>> = {
  'It reports no progress: each response is one JSON body.': 'tools-call-with-progress',
  'There are no sessions to come back to, or whose streams could be told apart: the suite warns of that, or checks nothing.':
    'server-sse-polling server-sse-multiple-streams',
  'It declares no logging and no completions.': 'logging-set-level tools-call-with-logging completion-complete',
  'Results are texts.': 'tools-call-image tools-call-audio tools-call-embedded-resource tools-call-mixed-content',
  'It asks its clients for nothing.':
    'tools-call-sampling tools-call-elicitation elicitation-sep1034-defaults elicitation-sep1330-enums',
  'It wants $schema, $defs and $ref in a tool, which hosts refuse: these tools have plain types.':
    'json-schema-2020-12',
  'It declares no resources.':
    'resources-list resources-read-text resources-read-binary resources-templates-read resources-subscribe resources-unsubscribe',
  'It declares no prompts.':
    'prompts-list prompts-get-simple prompts-get-with-args prompts-get-embedded-resource prompts-get-with-image',
};

const run = async (...args: readonly string[]): Promise<string> => {
  const { stdout } = await promisify(execFile)(process.execPath, [suite, ...args], { cwd: folder }).catch(
    (error: { readonly stdout: string }) => error,
  );
  return stdout;
};

test('the conformance suite has no scenario of servers that is not known here', async () => {
  const listed = await run('list', '--server');
  const found = [...listed.matchAll(/^ +- ([\w-]+)/gm)].map(([, name]) => name);
  expect(found.sort()).toEqual([...scenarios, ...Object.values(others).flatMap((names) => names.split(' '))].sort());
});

test.for(scenarios)('the conformance suite passes: %s', async (scenario, { startWith }) => {
  for (const [name, text] of Object.entries(documents)) writeFileSync(join(folder, name), text);
  const gateway = await startWith({ MCP: 'true', MCP_OPERATIONS: folder });
  const output = await run('server', '--url', `${gateway.url}/mcp`, '--scenario', scenario, '-o', join(folder, 'out'));
  expect(output).toMatch(/Passed: (\d+)\/\1, 0 failed/);
});
