import type { App } from '../app.ts';
import type { AppConfig } from '../config.ts';
import type { SandboxRequest, SandboxResponse } from '../http/endpoints.ts';
import type { MetricsSnapshot } from '../telemetry/metrics.ts';

/** The addresses of a worker that listens. */
export type Listening = Pick<App, 'url' | 'adminUrl'>;

/** What a worker tells the main process, and asks of it. */
export interface MainFunctions {
  /** What the worker starts with: its own part of the settings, and how far the sandbox's clock is ahead, null without a sandbox. */
  begin(): { readonly config: AppConfig; readonly aheadMs: number | null };
  listens(listening: Listening): void;
  /** The worker cannot start; the message is one line for operators. */
  cannotStart(message: string): void;
  /** After a failure that nothing has handled, the worker ends as soon as its requests have; others go on. */
  leaves(): void;
  /** The worker ends now: its metrics, for nobody may have asked for the last of them. */
  ends(snapshot: MetricsSnapshot): void;
  /** The response of the embedded sandbox to what moves it; undefined where there is none. */
  askSandbox(request: SandboxRequest): Promise<SandboxResponse | undefined>;
  /** The metrics of all workers as Prometheus text. */
  printMetrics(): Promise<string>;
  /** Sends a message of a channel to all other workers. */
  tell(channel: string, message: Buffer): void;
}

/** What the main process asks of a worker. */
export interface WorkerFunctions {
  /** Ends the worker once its requests have ended and its log is written. */
  stop(): void;
  /** The sandbox's clock has been set: so many milliseconds ahead of the machine's. */
  sandboxSet(aheadMs: number): void;
  /** A message of another worker. */
  hear(channel: string, message: Buffer): void;
  /** A sign of life. */
  ping(): void;
  snapshot(): Promise<MetricsSnapshot>;
}

/** One end of a channel between processes. */
export interface Port {
  on(event: 'message', run: (message: Message) => void): unknown;
  send(message: Message, done: () => void): unknown;
}

/** Functions that the other side of a port may call, by name. Arguments and results are copied. */
type Functions<Own> = { readonly [Name in keyof Own]: (...given: never) => unknown };

/** The functions of the other side. */
export interface Remote<Theirs extends Functions<Theirs>> {
  /** Rejects with the other side's message. Pending for ever once the other side has ended. */
  call<Name extends keyof Theirs & string>(
    name: Name,
    ...given: Parameters<Theirs[Name]>
  ): Promise<Awaited<ReturnType<Theirs[Name]>>>;
  /** Calls without waiting. What the function throws is lost. */
  notify<Name extends keyof Theirs & string>(name: Name, ...given: Parameters<Theirs[Name]>): void;
}

/** A call, or what came of one. */
type Message =
  | { readonly id: number; readonly name: string; readonly given: readonly unknown[] }
  | { readonly id: number; readonly result?: unknown; readonly failure: string | null };

/** Connects two processes: each calls the functions of the other. What is sent to one that has ended is lost. */
export function connectProcesses<Theirs extends Functions<Theirs>, Ours extends Functions<Ours>>(
  port: Port,
  ours: Ours,
): Remote<Theirs> {
  const functions = new Map<string, (...given: readonly unknown[]) => unknown>(Object.entries(ours));
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let lastId = 0;
  const send = (message: Message): unknown => port.send(message, () => {});

  port.on('message', async (message) => {
    const { id } = message;
    if ('name' in message) {
      try {
        send({ id, result: await functions.get(message.name)?.(...message.given), failure: null });
      } catch (error) {
        send({ id, failure: (error as Error).message });
      }
      return;
    }
    const waiter = waiting.get(id);
    waiting.delete(id);
    if (message.failure === null) waiter?.resolve(message.result);
    else waiter?.reject(new Error(message.failure));
  });

  function call(name: string, ...given: readonly unknown[]): Promise<never> {
    const id = ++lastId;
    const waiter = Promise.withResolvers<unknown>();
    waiting.set(id, waiter);
    send({ id, name, given });
    return waiter.promise as Promise<never>;
  }

  return { call, notify: (name, ...given) => void call(name, ...given).catch(() => {}) };
}
