import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
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

/** A form and a union beside what the page shows: routes as pairs or text, of which some are secret, and codecs of two types. */
const additions: readonly (readonly [file: number, before: string, text: string])[] = [
  [
    0,
    '  "How many calls it takes at once."',
    `  "Routes."
  routes: [VoiceRoute]
  "Codecs."
  codecs: [VoiceCodec]
`,
  ],
  [
    0,
    'type VoiceProfileConnection',
    `"A route."
type VoiceRoute {
  "Its name."
  name: String
  "Its value."
  value: String
}
"A codec."
union VoiceCodec = AudioCodec | VideoCodec
"For sound."
type AudioCodec {
  "Its kind."
  kind: String!
  "Its rate."
  rate: Int!
}
"For pictures."
type VideoCodec {
  "Its kind."
  kind: String!
  "Its frames."
  frames: Int!
}

`,
  ],
  [
    1,
    '} satisfies Resource',
    `  forms: {
    VoiceRoute: {
      expected: 'a pair',
      read: (value) => (Array.isArray(value) && value.length === 2 ? { name: value[0], value: value[1] } : undefined),
      pair: { names: ['secret'], cover: 'hidden' },
    },
  },
  unions: {
    VoiceCodec: {
      tag: 'kind',
      types: { audio: 'AudioCodec', video: 'VideoCodec' },
      what: 'a codec',
      coordinate: 'AudioCodec.kind',
    },
  },
`,
  ],
  [
    2,
    '  concurrent_call_limit',
    `  routes: index === 2 ? [7] : [['main', '1']],
  codecs: [
    { kind: 'audio', rate: 8 },
    { kind: index === 2 ? 'smell' : 'video', frames: 30 },
  ],
`,
  ],
];

beforeAll(async () => {
  const copied = ['.ci', 'client/src', 'docs', 'schema', 'src', 'codegen.yml', 'package.json', 'tsconfig.json'];
  for (const path of [...copied, 'test/package.json'])
    cpSync(join(root, path), join(folder, path), { recursive: true });
  for (const path of ['node_modules', 'test/node_modules']) symlinkSync(join(root, path), join(folder, path));
  for (const [index, [, text = '']] of blocks.entries()) {
    const added = additions.filter(([file]) => file === index);
    writeFileSync(
      join(folder, files[index] ?? ''),
      added.reduce((whole, [, before, more]) => whole.replace(before, more + before), text),
    );
  }
  mkdirSync(join(folder, 'tools'));
  writeFileSync(join(folder, 'tools/tool.graphql'), `# Names of profiles.\n${tool}\n`);
  await run('.ci/codegen.ts', 'types');
  gateway = spawn(process.execPath, ['src/start.ts'], {
    cwd: folder,
    env: { PORT: '0', LIMIT_COST: '5000', MCP_OPERATIONS: join(folder, 'tools'), WARM_UP_MS: '0' },
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

/** How many operations each executor has answered. */
async function answeredBy(): Promise<Readonly<Record<string, number>>> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const samples = text.matchAll(/^switchboard_\w+\{[^}]*way="(bytes|compiled|general)"[^}]*\} (\d+)$/gm);
  return Object.fromEntries([...samples].map(([, path = '', count]) => [path, Number(count)]));
}

const codecs = 'codecs { ... on AudioCodec { kind rate } ... on VideoCodec { frames } }';

test.for<[path: string, around: (nodes: string) => string]>([
  ['bytes', (nodes) => `{ voiceProfiles(first: 2) { ${nodes} } }`],
  // What asks for the rows twice is for a plan.
  ['compiled', (nodes) => `{ voiceProfiles(first: 2) { ${nodes} edges { cursor } more: nodes { id } } }`],
  ['general', (nodes) => `{ __typename __schema { queryType { name } } voiceProfiles(first: 2) { ${nodes} } }`],
])('a form and a union that a resource declares act on the path %s', async ([path, around]) => {
  const before = await answeredBy();
  const { data, errors } = await ask(around(`nodes { id routes { name value } ${codecs} }`));
  const { [path]: count = 0 } = before;
  expect((await answeredBy())[path]).toBe(count + 1);
  expect(errors).toBeUndefined();
  expect(data.voiceProfiles.nodes[1]).toEqual({
    id: 'profile-1',
    routes: [{ name: 'main', value: '1' }],
    codecs: [{ kind: 'audio', rate: 8 }, { frames: 30 }],
  });
});

test('a value of no such form, or of a type that the union does not have, is an error in its place', async () => {
  const { data, errors } = await ask(`{ voiceProfiles(first: 3) { nodes { id routes { name } ${codecs} } } }`);
  expect(data.voiceProfiles.nodes[2]).toEqual({
    id: 'profile-2',
    routes: [null],
    codecs: [{ kind: 'audio', rate: 8 }, null],
  });
  expect(errors.map(({ path, message }: { path: unknown; message: string }) => [path, message])).toEqual([
    [['voiceProfiles', 'nodes', 2, 'routes', 0], expect.stringContaining('a pair was expected')],
    [['voiceProfiles', 'nodes', 2, 'codecs', 1], expect.stringContaining('a codec of an unknown kind: audio or video')],
  ]);
});
