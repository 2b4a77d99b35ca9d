import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

// `npm run test:clients`: clients of other projects, and the examples for frontends. Each has packages of its own, which are installed
// and tried side by side; what a part prints comes together when it ends.
const cwd = fileURLToPath(new URL('../../..', import.meta.url));

/** Runs commands one after another, and returns whether all have succeeded. */
async function part(name: string, ...commands: readonly string[]): Promise<boolean> {
  const started = performance.now();
  let output = '';
  const code = await new Promise<number | null>((resolve) => {
    const child = spawn('sh', ['-c', commands.join(' && ')], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (output += text.toString()));
    child.on('close', resolve);
  });
  console.log(`${output.trimEnd()}\n${name}: ${Math.round((performance.now() - started) / 1_000)} s`);
  return code === 0;
}

const projects = 'test/clients/projects';
const testing = 'examples/testing';
const react = 'examples/react';

async function clients(): Promise<boolean> {
  if (!(await part('Packages of clients', `node .ci/install.ts ${projects}`, `node ${projects}/generate.ts`)))
    return false;
  const checks = part('Types of clients', `tsc --noEmit -p ${projects}`, `oxlint ${projects}`);
  const tests = part('Clients', 'vitest run --project clients --project bundled-clients');
  return (await checks) && tests;
}

/** Both take the browser of our own pages. */
async function examples(): Promise<boolean> {
  const installed = await Promise.all(
    [testing, react].map((folder) => part(`Packages of ${folder}`, `node .ci/install.ts ${folder}`)),
  );
  const tests = [testing, react].map((folder) => `npm --prefix ${folder} test`).join(' && ');
  return installed.every(Boolean) && part('Examples', `node test/pages/browser/with-chromium.ts sh -c '${tests}'`);
}

const results = await Promise.all([clients(), examples()]);
if (!results.every(Boolean)) process.exitCode = 1;
