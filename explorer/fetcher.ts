import type { Fetcher, FetcherOpts, FetcherParams } from '@graphiql/toolkit';
import { OperationTypeNode, parse, visit, type ASTVisitor, type ExecutionResult } from 'graphql';
import { mergePayload, parseExactly, type Answer } from './answer.ts';
import { readEvents } from './events.ts';
import { callerHeaders } from './key-bar.tsx';
import { share } from './shared.ts';
import { withoutMachinery, type Introspection } from './introspection.ts';

/** One call to the API, as the gateway explains it. */
export interface Call {
  readonly operation: string;
  readonly query: string;
  readonly origin: string | null;
  readonly status: number | null;
  readonly bytes: number | null;
  /** From the beginning of the operation. */
  readonly startMilliseconds: number;
  readonly milliseconds: number;
  readonly retries: number;
  readonly curl: string;
}

/** What is known of a request. */
export interface Run {
  /** Null until the response has begun, and where there is none. */
  readonly status: number | null;
  readonly milliseconds: number;
  readonly bytes: number;
  /** Whole answers: a stream has many. */
  readonly events: number;
  /** Null where the gateway does not list them. */
  readonly calls: readonly Call[] | null;
  readonly isRunning: boolean;
}

/** The request that was sent last. */
export const lastRun = share<Run | null>(null);

const json = 'application/graphql-response+json, application/json;q=0.9';

/** The media type to ask for: events where an answer comes in pieces or does not end. */
export function acceptOf(query: string, operationName: string | null): string {
  let isStream = false;
  const visitor: ASTVisitor = {
    OperationDefinition({ operation, name }) {
      isStream ||=
        operation === OperationTypeNode.SUBSCRIPTION && (operationName === null || name?.value === operationName);
    },
    Directive({ name }) {
      isStream ||= name.value === 'defer';
    },
  };
  try {
    visit(parse(query), visitor);
  } catch {
    // The gateway says what is wrong with it.
  }
  return isStream ? 'text/event-stream' : json;
}

/** Sends an operation, and hands each state of its answer to GraphiQL. */
export const fetcher: Fetcher = (params, options = {}) => {
  const leaving = new AbortController();
  const answers = send(params, options, leaving.signal);
  const iterator: AsyncIterableIterator<ExecutionResult> = {
    [Symbol.asyncIterator]: () => iterator,
    // GraphiQL shows an answer as it is, whatever it holds.
    next: () => answers.next() as Promise<IteratorResult<ExecutionResult>>,
    // GraphiQL's stop: a generator alone would wait for its next payload.
    async return() {
      leaving.abort();
      return { done: true, value: undefined };
    },
  };
  return iterator;
};

async function* send(
  params: FetcherParams,
  { headers: own }: FetcherOpts,
  signal: AbortSignal,
): AsyncGenerator<Answer, void> {
  const isIntrospection = params.operationName === 'IntrospectionQuery';
  const watch = isIntrospection ? null : watchRun();
  try {
    const response = await fetch('/graphql', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: acceptOf(params.query, params.operationName ?? null),
        ...(!isIntrospection && { 'x-explain': '1' }),
        ...callerHeaders(),
        ...lowerCased(own ?? {}),
      },
      body: JSON.stringify(params),
      signal,
    });
    let answer: Answer | null = null;
    for await (const text of textsOf(response, watch)) {
      const payload = read(text, response);
      if (isIntrospection) yield withoutMachinery(payload as Introspection);
      else {
        answer = mergePayload('hasNext' in payload ? answer : null, watch?.take(payload) ?? payload);
        yield answer;
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    watch?.end();
  }
}

const lowerCased = (headers: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]));

type Watch = ReturnType<typeof watchRun>;

async function* textsOf(response: Response, watch: Watch | null): AsyncGenerator<string, void> {
  watch?.begin(response.status);
  if (response.headers.get('content-type')?.startsWith('text/event-stream') !== true || response.body === null) {
    const bytes = new Uint8Array(await response.arrayBuffer());
    watch?.count(bytes);
    yield new TextDecoder().decode(bytes);
    return;
  }
  yield* readEvents(counted(response.body, watch));
}

async function* counted(body: ReadableStream<Uint8Array>, watch: Watch | null): AsyncGenerator<Uint8Array, void> {
  const reader = body.getReader();
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      watch?.count(piece.value);
      yield piece.value;
    }
  } finally {
    void reader.cancel().catch(() => {});
  }
}

function read(text: string, { status, headers }: Response): Answer {
  try {
    return parseExactly(text) as Answer;
  } catch {
    const type = headers.get('content-type') ?? 'no type';
    throw new Error(`The answer is no JSON: ${status}, ${type}: ${text.slice(0, 300)}`);
  }
}

/** Writes down what becomes of a request. */
function watchRun() {
  const began = performance.now();
  let run: Run = { status: null, milliseconds: 0, bytes: 0, events: 0, calls: null, isRunning: true };
  const note = (news: Partial<Run>): void => {
    const isLast = lastRun.get() === run;
    run = { ...run, milliseconds: performance.now() - began, ...news };
    // Another request may have begun.
    if (isLast) lastRun.set(run);
  };
  lastRun.set(run);
  return {
    begin: (status: number) => note({ status }),
    count: ({ byteLength }: Uint8Array) => note({ bytes: run.bytes + byteLength }),
    end: () => note({ isRunning: false }),
    /** Returns the payload without the calls, which have a place of their own. */
    take({ extensions, ...payload }: Answer): Answer {
      const { explain, ...others } = extensions ?? {};
      note({
        events: run.events + ('hasNext' in payload ? 0 : 1),
        ...(Array.isArray(explain) && { calls: explain as readonly Call[] }),
      });
      return Object.keys(others).length === 0 ? payload : { ...payload, extensions: others };
    },
  };
}
