import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBinary } from './chromium.ts';

// Runs the command of its arguments with the Chromium of these tests at CHROMIUM_PATH, for packages that have none of their own.
const folder = mkdtempSync(join(tmpdir(), 'switchboard-browser-'));
const { path, environment } = await findBinary(folder);
const [command = '', ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: 'inherit', env: { ...process.env, ...environment, CHROMIUM_PATH: path } });
child.on('close', (code) => {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  process.exitCode = code ?? 1;
});
