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
  /** What has come so far. */
  readonly events: readonly StreamEvent[];
  /** Settles when the stream has ended. */
  readonly ended: Promise<void>;
  /** Leaves it. */
  close(): void;
}

/** Subscribes; resolves when the answer begins. */
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
  return {
    status: response.status,
    headers: response.headers,
    events,
    ended: collect(response, events).catch(() => {}),
    close: () => leaving.abort(),
  };
}

async function collect({ body }: Response, events: StreamEvent[]): Promise<void> {
  if (body === null) return;
  let text = '';
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    events.push(...blocks.flatMap(eventIn));
  }
}

/** None in a comment, which only keeps the connection open. */
function eventIn(block: string): readonly StreamEvent[] {
  const lines = block.split('\n').filter((line) => !line.startsWith(':'));
  const valueOf = (name: string): string =>
    lines
      .find((line) => line.startsWith(`${name}:`))
      ?.slice(name.length + 1)
      .trim() ?? '';
  if (lines.join('') === '') return [];
  const data = valueOf('data');
  return [{ name: valueOf('event'), data: data === '' ? null : JSON.parse(data) }];
}
