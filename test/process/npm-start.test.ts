import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';

test('npm start forwards a signal to the gateway, and ends with its status', async () => {
  const npm = spawn('npm', ['start'], { env: { ...process.env, PORT: '0', LOG_LEVEL: 'silent' } });
  const ended = once(npm, 'exit');
  // The gateway holds this pipe as long as it lives: its end is the end of all that npm started.
  const closed = once(npm.stdout, 'end');
  for await (const chunk of npm.stdout.iterator({ destroyOnReturn: false })) {
    if (String(chunk).includes('Switchboard listens on')) break;
  }
  npm.stdout.resume();
  npm.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
  await closed;
});
