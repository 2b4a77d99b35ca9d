import type { Gateway } from './gateway.ts';

/** One event as it came over the wire. */
export interface StreamEvent {
  readonly name: string;
  // Tests read results of every shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly data: any;
}

export interface SubscribeOptions {
  readonly variables?: Readonly<Record<string, unknown>>;
  /** Null sends no Authorization header. */
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A subscription over server-sent events, in distinct connections mode. */
export interface EventStream {
  readonly status: number;
  readonly headers: Headers;
  /** The events so far. */
  readonly events: readonly StreamEvent[];
  /** The id that came last; empty where none has. */
  readonly lastEventId: string;
  /** Resolves with the first event id. */
  readonly begun: Promise<void>;
  /** Settles when the stream has ended. */
  readonly ended: Promise<void>;
  /** Leaves it. */
  close(): void;
}

/** Subscribes; resolves when the response begins. */
export async function subscribe(
  gateway: Pick<Gateway, 'url'>,
  query: string,
  { variables, key = 'test-key', headers = {} }: SubscribeOptions = {},
): Promise<EventStream> {
  const leaving = new AbortController();
  const response = await fetch(`${gateway.url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'text/event-stream',
      ...(key !== null && { authorization: `Bearer ${key}` }),
      ...headers,
    },
    body: JSON.stringify({ query, variables }),
    signal: leaving.signal,
  });
  const events: StreamEvent[] = [];
  let lastEventId = '';
  const begun = Promise.withResolvers<void>();
  const note = (id: string): void => {
    lastEventId = id;
    begun.resolve();
  };
  return {
    status: response.status,
    headers: response.headers,
    events,
    get lastEventId() {
      return lastEventId;
    },
    begun: begun.promise,
    ended: collect(response, events, note).catch(() => {}),
    close: () => leaving.abort(),
  };
}

async function collect({ body }: Response, events: StreamEvent[], note: (id: string) => void): Promise<void> {
  if (body === null) return;
  let text = '';
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const id = valueIn(block, 'id');
      if (id !== '') note(id);
      events.push(...eventIn(block));
    }
  }
}

/** None in a comment, which only keeps the connection open, nor in an id alone. */
function eventIn(block: string): readonly StreamEvent[] {
  const [name, data] = [valueIn(block, 'event'), valueIn(block, 'data')];
  return name + data === '' ? [] : [{ name, data: data === '' ? null : JSON.parse(data) }];
}

function valueIn(block: string, field: string): string {
  const line = block.split('\n').find((text) => text.startsWith(`${field}:`));
  return line?.slice(field.length + 1).trim() ?? '';
}
