import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../../..');

/** Whether a process of the group is left. */
function isAlive(group: number): boolean {
  try {
    return process.kill(-group, 0);
  } catch {
    return false;
  }
}

it('ends all processes of npm run dashboard when npm is told to terminate', { timeout: 180_000 }, async () => {
  const npm = spawn('npm', ['run', 'dashboard'], {
    cwd: root,
    env: { ...process.env, PORT: '0', NODE_ENV: 'development', npm_config_prefer_offline: 'true' },
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const group = npm.pid ?? 0;
  try {
    const exit = once(npm, 'exit');
    let output = '';
    let url = '';
    for await (const chunk of npm.stdout.setEncoding('utf8')) {
      output += String(chunk);
      url = /Dashboard at (\S+?),/.exec(output)?.[1] ?? '';
      if (url !== '') break;
    }
    expect((await fetch(url)).status).toBe(200);
    process.kill(group, 'SIGTERM');
    await exit;
    await expect.poll(() => isAlive(group), { timeout: 10_000 }).toBe(false);
    await expect(fetch(url)).rejects.toThrow('fetch failed');
  } finally {
    if (isAlive(group)) process.kill(-group, 'SIGKILL');
  }
});
