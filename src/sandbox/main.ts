import { readConfig } from '../config.ts';
import { startSandbox } from './server.ts';

function fail(line: string): never {
  process.stderr.write(`${line}\n`);
  process.exit(1);
}

/** What the gateway reads of the same names, with a port of its own. */
function readSettings({ PORT, HOST, SANDBOX_NOW }: NodeJS.ProcessEnv) {
  try {
    return readConfig({ PORT: PORT?.trim() || '4010', HOST, SANDBOX_NOW });
  } catch (error) {
    return fail((error as Error).message);
  }
}

const { port, host, sandboxNow } = readSettings(process.env);
const aheadMs = sandboxNow === null ? 0 : sandboxNow - Date.now();

const sandbox = await startSandbox({ port, host, now: () => Date.now() + aheadMs }).catch(
  (error: NodeJS.ErrnoException) => fail(`The sandbox cannot listen on HOST ${host}, PORT ${port}: ${error.code}`),
);

function stop(): void {
  void sandbox.close().then(() => process.exit(0));
}

process.once('SIGTERM', stop);
process.once('SIGINT', stop);

process.stdout.write(`Sandbox upstream at ${sandbox.baseUrl}\n`);
