import type { Fetcher, FetcherOpts, FetcherParams } from '@graphiql/toolkit';
import type { ExecutionResult } from 'graphql';
import { serverSentEvents } from '../client/src/event-stream.ts';
import { mergePayload, parseExactly, withoutMachinery, type Answer } from './answer.ts';
import { callerHeaders } from './caller.ts';
import { watchRun, type Call } from './last-run.ts';
import { accept, typedVariables } from './link.ts';

/** Sends an operation, and hands each state of its answer to GraphiQL, which shows it as it is, whatever it holds. */
export const fetcher: Fetcher = (params, options = {}) => {
  if (params.operationName === 'IntrospectionQuery') return introspect(params, options);
  const leaving = new AbortController();
  const answers = run(params, options, leaving.signal);
  // GraphiQL's stop: a generator alone would wait for its next payload.
  answers.return = async () => {
    leaving.abort();
    return { done: true, value: undefined };
  };
  return answers as AsyncGenerator<ExecutionResult, void>;
};

function post(body: object, headers: object, signal: AbortSignal | null = null): Promise<Response> {
  const sent = new Headers({ 'content-type': 'application/json', accept, ...callerHeaders() });
  for (const [name, value] of Object.entries(headers)) sent.set(name, String(value));
  return fetch('/graphql', { method: 'POST', headers: sent, body: JSON.stringify(body), signal });
}

async function introspect(params: FetcherParams, { headers }: FetcherOpts): Promise<ExecutionResult> {
  const response = await post(params, headers ?? {});
  return withoutMachinery(read(await response.text(), response)) as ExecutionResult;
}

async function* run(
  params: FetcherParams,
  { headers }: FetcherOpts,
  signal: AbortSignal,
): AsyncGenerator<Answer, void> {
  const note = watchRun();
  try {
    const body = { ...params, variables: exactly(params.variables) };
    const response = await post(body, { 'x-explain': '1', ...headers }, signal);
    note(() => ({ status: response.status }));
    let answer: Answer | null = null;
    for await (const text of textsOf(response)) {
      const { extensions: { explain, ...extensions } = {}, ...payload } = read(text, response);
      note(({ bytes, events, calls }) => ({
        bytes: bytes + new Blob([text]).size,
        events: events + ('hasNext' in payload ? 0 : 1),
        calls: Array.isArray(explain) ? (explain as readonly Call[]) : calls,
      }));
      // The calls have a place of their own.
      const shown = Object.keys(extensions).length === 0 ? payload : { ...payload, extensions };
      answer = mergePayload('hasNext' in payload ? answer : null, shown);
      yield answer;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    note(() => ({ isRunning: false }));
  }
}

/** The variables with each number as it is typed: GraphiQL reads them as JavaScript does, which changes long ones. */
function exactly(variables: unknown): unknown {
  const text = typedVariables.get()();
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(variables) ? parseExactly(text) : variables;
  } catch {
    return variables;
  }
}

async function* textsOf(response: Response): AsyncGenerator<string, void> {
  if (response.headers.get('content-type')?.startsWith('text/event-stream') !== true) {
    yield response.text();
    return;
  }
  for await (const { event, data } of serverSentEvents(response)) {
    if (event === 'complete') return;
    if (data) yield data;
  }
}

function read(text: string, { status, headers }: Response): Answer {
  try {
    return parseExactly(text) as Answer;
  } catch {
    throw new Error(`The answer is no JSON: ${status}, ${headers.get('content-type')}: ${text.slice(0, 300)}`);
  }
}
