/** One end of a channel between threads. */
interface Port {
  on(event: 'message', run: (message: Message) => void): unknown;
  postMessage(message: Message): void;
}

/** Functions that the other side of a port may call, by name. Arguments and results are copied. */
type Functions<Own> = { readonly [Name in keyof Own]: (argument: never) => unknown };
type ArgumentOf<Fn> = Fn extends (argument: infer Argument) => unknown ? Argument : never;
type ResultOf<Fn> = Fn extends (argument: never) => infer Result ? Awaited<Result> : never;

/** The functions of the other side. */
export interface Remote<Theirs extends Functions<Theirs>> {
  /** Rejects with the other side's message, or once the other side has ended. */
  call<Name extends keyof Theirs & string>(
    name: Name,
    argument: ArgumentOf<Theirs[Name]>,
  ): Promise<ResultOf<Theirs[Name]>>;
  /** Calls without waiting. What the function throws is lost. */
  notify<Name extends keyof Theirs & string>(name: Name, argument: ArgumentOf<Theirs[Name]>): void;
  /** Rejects all calls under way, and those to come. */
  end(): void;
}

type Message =
  | { readonly kind: 'call'; readonly id: number | null; readonly name: string; readonly argument: unknown }
  | { readonly kind: 'result'; readonly id: number; readonly result: unknown }
  | { readonly kind: 'failure'; readonly id: number; readonly message: string };

interface Waiter {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** Connects two threads: each calls the functions of the other. */
export function connectThreads<Theirs extends Functions<Theirs>, Ours extends Functions<Ours>>(
  port: Port,
  ours: Ours,
): Remote<Theirs> {
  const functions = new Map<string, (argument: unknown) => unknown>(Object.entries(ours));
  const waiting = new Map<number, Waiter>();
  let lastId = 0;
  let hasEnded = false;

  async function serve({ id, name, argument }: Message & { kind: 'call' }): Promise<void> {
    try {
      const result = await functions.get(name)?.(argument);
      if (id !== null) port.postMessage({ kind: 'result', id, result });
    } catch (error) {
      const { message } = error as Error;
      if (id !== null) port.postMessage({ kind: 'failure', id, message });
    }
  }

  function settle(message: Message & { kind: 'result' | 'failure' }): void {
    const waiter = waiting.get(message.id);
    waiting.delete(message.id);
    if (message.kind === 'result') waiter?.resolve(message.result);
    else waiter?.reject(new Error(message.message));
  }

  port.on('message', (message: Message) => {
    if (message.kind === 'call') void serve(message);
    else settle(message);
  });

  return {
    call(name, argument) {
      if (hasEnded) return Promise.reject(ended());
      const id = ++lastId;
      port.postMessage({ kind: 'call', id, name, argument });
      return new Promise((resolve, reject) => waiting.set(id, { resolve: resolve as Waiter['resolve'], reject }));
    },
    notify(name, argument) {
      if (!hasEnded) port.postMessage({ kind: 'call', id: null, name, argument });
    },
    end() {
      hasEnded = true;
      for (const { reject } of waiting.values()) reject(ended());
      waiting.clear();
    },
  };
}

function ended(): Error {
  return new Error('The other thread has ended.');
}
