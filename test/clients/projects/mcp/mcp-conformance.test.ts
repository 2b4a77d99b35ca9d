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

/** Scenarios of what this server does not have, each with its reason. */
const others: Readonly<Record<string, string>> = {
  'tools-call-with-progress': 'It reports no progress: each response is one JSON body.',
  'server-sse-polling': 'There are no sessions to come back to: the suite only warns of that.',
  'server-sse-multiple-streams': 'There are no sessions whose streams could be told apart: the suite checks nothing.',
  'logging-set-level': 'It declares no logging.',
  'completion-complete': 'It declares no completions.',
  'tools-call-image': 'Results are texts.',
  'tools-call-audio': 'Results are texts.',
  'tools-call-embedded-resource': 'Results are texts.',
  'tools-call-mixed-content': 'Results are texts.',
  'tools-call-with-logging': 'It declares no logging.',
  'tools-call-sampling': 'It asks its clients for nothing.',
  'tools-call-elicitation': 'It asks its clients for nothing.',
  'elicitation-sep1034-defaults': 'It asks its clients for nothing.',
  'elicitation-sep1330-enums': 'It asks its clients for nothing.',
  'json-schema-2020-12':
    'It wants $schema, $defs and $ref in a tool, which hosts refuse: these tools have plain types.',
  'resources-list': 'It declares no resources.',
  'resources-read-text': 'It declares no resources.',
  'resources-read-binary': 'It declares no resources.',
  'resources-templates-read': 'It declares no resources.',
  'resources-subscribe': 'It declares no resources.',
  'resources-unsubscribe': 'It declares no resources.',
  'prompts-list': 'It declares no prompts.',
  'prompts-get-simple': 'It declares no prompts.',
  'prompts-get-with-args': 'It declares no prompts.',
  'prompts-get-embedded-resource': 'It declares no prompts.',
  'prompts-get-with-image': 'It declares no prompts.',
};

const run = async (...args: readonly string[]): Promise<string> => {
  const { stdout } = await promisify(execFile)(process.execPath, [suite, ...args], { cwd: folder }).catch(
    (error: { readonly stdout: string }) => error,
  );
  return stdout;
};

test('the conformance suite has no scenario of servers that is not known here', async () => {
  const listed = await run('list', '--server');
  const names = [...listed.matchAll(/^ +- ([\w-]+)/gm)].map(([, name]) => name);
  expect(names.sort()).toEqual([...scenarios, ...Object.keys(others)].sort());
});

test.for(scenarios)('the conformance suite passes: %s', async (scenario, { startWith }) => {
  for (const [name, text] of Object.entries(documents)) writeFileSync(join(folder, name), text);
  const gateway = await startWith({ MCP: 'true', MCP_OPERATIONS: folder });
  const output = await run('server', '--url', `${gateway.url}/mcp`, '--scenario', scenario, '-o', join(folder, 'out'));
  expect(output).toMatch(/Passed: (\d+)\/\1, 0 failed/);
});
