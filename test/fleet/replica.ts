import { type Program, startProgram, whenReady } from '../support/process.ts';
import { freePort } from './haproxy.ts';

/** A gateway at an address of its own, which keeps the address when it is started anew. */
export interface Replica extends AsyncDisposable {
  /** Host and port. */
  readonly address: string;
  readonly url: string;
  /** Starts it, and waits until it is ready. */
  start(): Promise<void>;
  /** Sends the signal, and waits for the end. */
  end(signal: NodeJS.Signals): Promise<void>;
  /** How many calls it has made since it was started, of one upstream operation or of all. */
  calls(operation?: string): Promise<number>;
}

/** Starts a replica with settings, as the environment would give them. */
export async function startReplica(env: Readonly<Record<string, string>>): Promise<Replica> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  let program: Program | null = null;
  const replica: Replica = {
    address: `127.0.0.1:${port}`,
    url,
    async start() {
      program = startProgram('src/main.cjs', {
        PORT: String(port),
        EXPLORER: 'false',
        MCP: 'false',
        LOG_LEVEL: 'warn',
        ...env,
      });
      await program.printed(/Switchboard listens on /);
      await whenReady(url);
    },
    async end(signal) {
      program?.kill(signal);
      await program?.ending;
    },
    async calls(operation = '') {
      const text = await (await fetch(`${url}/metrics`)).text();
      const counts = text.matchAll(/^switchboard_upstream_call_duration_seconds_count\{[^}]*\} (\d+)$/gm);
      return [...counts].reduce((sum, [line, count]) => sum + (line.includes(operation) ? Number(count) : 0), 0);
    },
    [Symbol.asyncDispose]: async () => program?.[Symbol.asyncDispose](),
  };
  await replica.start();
  return replica;
}
