import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, RESP_TYPES as respTypes } from 'redis';
import { listenOnLoopback } from '../support/http.ts';
import { programPath } from './programs.ts';

/** A Redis of this test alone, on loopback, that keeps nothing on disk. */
export type Redis = Awaited<ReturnType<typeof startRedis>>;

/** Starts a Redis and waits until it answers. */
export async function startRedis() {
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-redis-'));
  const url = `redis://127.0.0.1:${port}`;
  let child: ChildProcess | null = null;

  /** Sends one command on a connection of its own; texts of the reply are buffers. */
  async function send(...parts: readonly (string | Buffer)[]): Promise<unknown> {
    const client = createClient({ url, socket: { reconnectStrategy: false } });
    client.on('error', () => {});
    try {
      await client.connect();
      return await client.sendCommand([...parts], { typeMapping: { [respTypes.BLOB_STRING]: Buffer } });
    } finally {
      client.destroy();
    }
  }

  /** Starts it again, empty, on the same port. */
  async function start(): Promise<void> {
    const fixed = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', folder];
    child = spawn(programPath('redis-server'), fixed, { stdio: 'ignore' });
    for (let tries = 0; ; tries++) {
      try {
        await send('PING');
        return;
      } catch (error) {
        if (tries > 1_000) throw error;
        await new Promise((resolve) => setTimeout(resolve, 25));
      }
    }
  }

  /** Ends it at once. What it held is gone. */
  async function kill(): Promise<void> {
    const dying = child;
    child = null;
    if (dying === null) return;
    const dead = new Promise((resolve) => dying.once('exit', resolve));
    dying.kill('SIGKILL');
    await dead;
  }

  await start();
  return {
    url,
    send,
    kill,
    start,
    /** Stops its process without ending it: connections stay open, and nothing is answered. */
    pause: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
    async [Symbol.asyncDispose]() {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A port of loopback on which nothing listens. */
export async function freePort(): Promise<number> {
  const { origin, close } = await listenOnLoopback(createServer());
  await close();
  return Number(new URL(origin).port);
}
