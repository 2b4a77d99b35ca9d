import type { Fetcher, FetcherParams } from '@graphiql/toolkit';
import { buildSchema, introspectionFromSchema, type ExecutionResult } from 'graphql';
import { serverSentEvents } from '../client/src/event-stream.ts';
import { mergePayload, parseExactly, type Answer } from './answer.ts';
import { callerHeaders } from './caller.tsx';
import { watchRun, type Call } from './last-run.ts';
import { accept, typed } from './link.ts';

/** Sends an operation, and hands each state of its answer to GraphiQL, which shows it as it is, whatever it holds. */
export const fetcher: Fetcher = (params, { headers = {} } = {}) => {
  if (params.operationName === 'IntrospectionQuery') return introspect(params);
  const leaving = new AbortController();
  const answers = run(params, headers, leaving.signal);
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

/** The published schema, which lacks what only routers need. A gateway that has none says so. */
async function introspect(params: FetcherParams): Promise<ExecutionResult> {
  const published = await fetch('/schema.graphql');
  if (!published.ok) return (await (await post(params, {})).json()) as ExecutionResult;
  return { data: { ...introspectionFromSchema(buildSchema(await published.text())) } };
}

async function* run(params: FetcherParams, headers: object, signal: AbortSignal): AsyncGenerator<Answer, void> {
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
        exports: [...new Set(text.match(/(?<=")\/exports\/charges-breakdown\.csv\?[^"]*/g))],
      }));
      // The calls have a place of their own.
      const shown = Object.keys(extensions).length === 0 ? payload : { ...payload, extensions };
      answer = mergePayload(answer, shown);
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
  try {
    return parseExactly(typed.variables());
  } catch {
    // They may have comments, which GraphiQL takes.
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
