import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'switchboard-sixth-'));
const files = ['schema/voice-profile.graphql', 'src/resources/voice-profile.ts', 'src/sandbox/voice-profile.ts'];
const blocks = [...readFileSync(join(root, 'docs/sixth-endpoint.md'), 'utf8').matchAll(/^```\w+\n([\s\S]*?)^```$/gm)];
let url = '';
let gateway: ReturnType<typeof spawn> | undefined;

// Connections of this process that the gateway ends meanwhile are not used again.
const run = (...args: readonly string[]) => promisify(execFile)(process.execPath, args, { cwd: folder });

const tool = 'query profile_names($first: Int = 2) { voiceProfiles(first: $first) { nodes { profileName channels } } }';

async function post(path: string, body: object): Promise<string> {
  const headers = {
    authorization: 'Bearer sandbox-key',
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  return response.text();
}

// oxlint-disable-next-line typescript/no-explicit-any
const ask = async (query: string): Promise<any> => JSON.parse(await post('/graphql', { query }));

beforeAll(async () => {
  const copied = ['.ci', 'client/src', 'docs', 'schema', 'src', 'codegen.yml', 'package.json', 'tsconfig.json'];
  for (const path of [...copied, 'test/package.json'])
    cpSync(join(root, path), join(folder, path), { recursive: true });
  for (const path of ['node_modules', 'test/node_modules']) symlinkSync(join(root, path), join(folder, path));
  for (const [index, [, text = '']] of blocks.entries()) writeFileSync(join(folder, files[index] ?? ''), text);
  writeFileSync(join(folder, 'tool.graphql'), `# Names of profiles.\n${tool}\n`);
  await run('.ci/codegen.ts', 'types');
  gateway = spawn(process.execPath, ['src/start.ts'], {
    cwd: folder,
    env: { PORT: '0', LIMIT_COST: '5000', MCP_OPERATIONS: folder, WARM_UP_MS: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: gateway.stdout! })) {
    url = /"url":"(http:[^"]+)"/.exec(line)?.[1] ?? '';
    if (url !== '') break;
  }
});

afterAll(async () => {
  if (gateway !== undefined) {
    gateway.kill();
    await once(gateway, 'exit');
  }
  rmSync(folder, { recursive: true });
});

test('three files of at most 60 lines compile, and pass the lint of the SDL', async () => {
  expect(blocks.map(([, text = '']) => text.split('\n').length - 1).filter((lines) => lines > 60)).toEqual([]);
  expect(blocks).toHaveLength(files.length);
  await run(join(root, 'node_modules/typescript/bin/tsc'), '--noEmit', '-p', '.');
  writeFileSync(join(folder, 'schema.graphql'), await (await fetch(`${url}/schema.graphql`)).text());
  await run(
    join(root, 'test/node_modules/eslint/bin/eslint.js'),
    '--config',
    join(root, 'test/sdl/eslint.config.js'),
    'schema.graphql',
  );
});

test('they add a list to every path, with look-ups, a cost and a tool', async () => {
  const page = '{ voiceProfiles(first: 2) { totalCount nodes { id profileName createdAt channels nodeId } } }';
  const rows = (await ask(page)).data.voiceProfiles;
  expect(rows).toMatchObject({
    totalCount: 300,
    nodes: [{ id: 'profile-0', channels: 0 }, { profileName: 'Profile 1' }],
  });
  const [, second] = rows.nodes;
  expect((await ask(`{ voiceProfile(id: "profile-299") { profileName } }`)).data.voiceProfile).toEqual({
    profileName: 'Profile 299',
  });
  const byNode = await ask(`{ node(nodeId: "${second.nodeId}") { ... on VoiceProfile { id } } }`);
  expect(byNode.data.node).toEqual({ id: 'profile-1' });
  // Without introspection bytes answer, with it graphql-js does.
  const general = await ask(page.replace('{ voice', '{ __schema { queryType { name } } voice'));
  expect(general.data.voiceProfiles).toEqual(rows);
  const lists = Array.from({ length: 6 }, (_, at) => `a${at}: voiceProfiles(first: 500) { edges { node { id } } }`);
  const dear = await ask(`{ ${lists.join(' ')} }`);
  expect(dear.errors[0].extensions).toMatchObject({ code: 'QUERY_TOO_COMPLEX', limit: 5000 });
  const call = { name: 'profile_names', arguments: { first: 1 } };
  expect(await post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call })).toContain('Profile 0');
});
