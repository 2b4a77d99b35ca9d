import type { App } from '../../../../src/app.ts';
import type { World } from '../types.ts';
import { apiUrl } from './api-server.ts';
import type { Gateway } from './gateway.ts';
import { owners, standstillMs, type Owner } from './time.ts';
import { killSockets, openSockets } from './wire.ts';

export interface ReplicasOptions {
  readonly world: World;
  readonly gateway: Gateway;
  readonly env: Readonly<Record<string, string>>;
  readonly isCompiling: boolean;
  /** Text that a replica has logged, whether or not it could be written. */
  readonly logged: (replica: number, text: string) => void;
  readonly broke: (promise: string, detail: string) => void;
}

/** A process that serves. */
interface Process extends Owner {
  readonly app: Promise<App>;
  port: number;
}

// A replica that is told to stop has ended after so many milliseconds (src/bounds.ts), and a moment for the sockets of the world.
const stopMs = 10_100;

/** The replicas of the gateway: real ones, which start, are killed, and are replaced. */
export class Replicas {
  readonly #options: ReplicasOptions;
  readonly #current: (Process | null)[] = [];
  readonly #stopping = new Set<Promise<void>>();
  #starts = 0;

  constructor(options: ReplicasOptions) {
    this.#options = options;
  }

  /** Where a replica listens; a port of nobody where it does not run. */
  portOf(replica: number): number {
    return this.#current[replica]?.port ?? 1;
  }

  get running(): readonly number[] {
    return this.#current.flatMap((process, index) => (process === null ? [] : [index]));
  }

  async start(replica: number): Promise<void> {
    const process = this.#begin(replica);
    const app = await process.app;
    if (!process.isAlive) return;
    process.port = Number(new URL(app.url).port);
    this.#current[replica] = process;
    this.#options.world.trace(`replica ${replica} listens`);
  }

  /** Ends a replica at once, as SIGKILL does. */
  kill(replica: number): void {
    const process = this.#current[replica];
    if (process === null || process === undefined) return;
    this.#current[replica] = null;
    process.isAlive = false;
    killSockets(process);
    this.#options.world.trace(`replica ${replica} killed`);
  }

  /** Replaces a replica by a new one, which serves before the old one is told to stop. */
  async deploy(replica: number): Promise<void> {
    const old = this.#current[replica] ?? null;
    await this.start(replica);
    if (old !== null && old !== this.#current[replica]) await this.#stop(old, replica);
  }

  /** Stops all replicas, as SIGTERM does, and waits for them. */
  async stopAll(): Promise<void> {
    this.#current.forEach((process, replica) => {
      if (process !== null) void this.#stop(process, replica);
      this.#current[replica] = null;
    });
    await Promise.all(this.#stopping);
  }

  #begin(replica: number): Process {
    const owner = { name: `replica ${replica}.${this.#starts++}`, isAlive: true, port: 1 };
    const { env, isCompiling, gateway } = this.#options;
    const { schema, startApp, createLog, createMetrics } = gateway;
    const config = gateway.readConfig({ PORT: '0', UPSTREAM_BASE_URL: apiUrl, ...env });
    const output = new gateway.LineOutput(1, (_descriptor, bytes, done) => this.#writeLog(owner, replica, bytes, done));
    const log = createLog(config.logLevel, output);
    const parts = { log, schema, metrics: createMetrics(log.linesLost, false), isCompiling };
    const app = owners.run(owner, () => startApp({ ...config, upstreamBaseUrl: apiUrl }, parts));
    return Object.assign(owner, { app });
  }

  #writeLog(owner: Owner, replica: number, bytes: Uint8Array, done: (error: null, written: number) => void): void {
    if (!owner.isAlive) return;
    const { world, logged } = this.#options;
    logged(replica, Buffer.from(bytes).toString('utf8'));
    owners.run(owner, () => world.after(1, () => done(null, bytes.length)));
  }

  #stop(process: Process, replica: number): Promise<void> {
    const { world, broke } = this.#options;
    const begun = world.now();
    const stoodStill = standstillMs();
    const stopped = owners.run(process, async () => {
      const app = await process.app;
      await app.retire();
      await app.close();
    });
    const inTime = new Promise<void>((resolve) => {
      let isOver = false;
      const ended = (): void => {
        isOver = true;
        world.trace(`replica ${replica} stopped after ${Math.round(world.now() - begun)} ms`);
        const left = openSockets().filter(({ owner }) => owner === process);
        if (left.length > 0) broke('a replica that has stopped has no connection', `${left.length} are open`);
        process.isAlive = false;
        killSockets(process);
        resolve();
      };
      void stopped.then(ended);
      const judge = (): void => {
        if (!isOver) broke('a replica that is told to stop ends within ten seconds', process.name);
        resolve();
      };
      // A process that stood still has as much more time.
      world.after(stopMs, () => world.after(Math.max(1, standstillMs() - stoodStill), judge));
    });
    this.#stopping.add(inTime);
    void inTime.finally(() => this.#stopping.delete(inTime));
    return inTime;
  }
}
