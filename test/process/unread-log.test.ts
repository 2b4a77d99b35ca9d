import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { stopMs } from '../../src/bounds.ts';

test('a stop ends the process in time although nobody reads its log', async () => {
  const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
  const child = spawn(process.execPath, [main], { env: { PORT: '0' }, stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    const ended = once(child, 'exit');
    const [first] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
    const url = /http:\S+(?=\/graphql)/.exec(first)?.[0] ?? '';
    child.stdout.pause();
    // More lines than the pipe and its reader hold.
    for (let sent = 0; sent < 4_000; sent += 100)
      await Promise.all(Array.from({ length: 100 }, async () => (await fetch(`${url}/nothing`)).arrayBuffer()));
    child.kill('SIGTERM');
    expect(await Promise.race([ended, sleep(3 * stopMs, 'still there', { ref: false })])).toEqual([null, 'SIGKILL']);
  } finally {
    child.kill('SIGKILL');
  }
});
