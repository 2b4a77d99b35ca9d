import { presentExpected, readPresent } from './world.ts';
import { startSandbox } from './server.ts';

function fail(line: string): never {
  process.stderr.write(`${line}\n`);
  process.exit(1);
}

function readPort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : -1;
  if (port >= 0 && port <= 65_535) return port;
  return fail('PORT must be an integer from 0 to 65535.');
}

const port = readPort(process.env['PORT'] ?? '4010');
const host = process.env['HOST'] ?? '127.0.0.1';

function readNow(text: string): number | null {
  if (text === '') return null;
  return readPresent(text) ?? fail(`SANDBOX_NOW must be ${presentExpected}.`);
}

const present = readNow(process.env['SANDBOX_NOW']?.trim() ?? '');
const aheadMs = present === null ? 0 : present - Date.now();

const sandbox = await startSandbox({ port, host, now: () => Date.now() + aheadMs }).catch(
  (error: NodeJS.ErrnoException) =>
    fail(`The sandbox cannot listen on HOST ${host.slice(0, 200)}, PORT ${port}: ${error.code}`),
);

function stop(): void {
  void sandbox.close().then(() => process.exit(0));
}

process.once('SIGTERM', stop);
process.once('SIGINT', stop);

process.stdout.write(`Sandbox upstream at ${sandbox.baseUrl}\n`);
