import type { Fetcher, FetcherOpts, FetcherParams } from '@graphiql/toolkit';
import type { ExecutionResult } from 'graphql';
import { serverSentEvents } from '../client/src/event-stream.ts';
import { mergePayload, parseExactly, withoutMachinery, type Answer } from './answer.ts';
import { callerHeaders } from './caller.ts';
import { watchRun } from './last-run.ts';
import { acceptOf, typedVariables } from './link.ts';

/** Sends an operation, and hands each state of its answer to GraphiQL. */
export const fetcher: Fetcher = (params, options = {}) => {
  const leaving = new AbortController();
  const answers = send(params, options, leaving.signal);
  // GraphiQL's stop: a generator alone would wait for its next payload.
  answers.return = async () => {
    leaving.abort();
    return { done: true, value: undefined };
  };
  // GraphiQL shows an answer as it is, whatever it holds.
  return answers as AsyncGenerator<ExecutionResult, void>;
};

async function* send(
  params: FetcherParams,
  { headers: own }: FetcherOpts,
  signal: AbortSignal,
): AsyncGenerator<Answer, void> {
  const isIntrospection = params.operationName === 'IntrospectionQuery';
  const watch = isIntrospection ? null : watchRun();
  const headers = new Headers({
    'content-type': 'application/json',
    accept: acceptOf(params),
    ...(!isIntrospection && { 'x-explain': '1' }),
    ...callerHeaders(),
  });
  for (const [name, value] of Object.entries(own ?? {})) headers.set(name, String(value));
  try {
    const response = await fetch('/graphql', {
      method: 'POST',
      headers,
      body: JSON.stringify({ ...params, variables: exactly(params.variables) }),
      signal,
    });
    watch?.begin(response.status);
    let answer: Answer | null = null;
    for await (const text of textsOf(response)) {
      const payload = read(text, response);
      const shown = watch?.take(text, payload) ?? withoutMachinery(payload);
      answer = mergePayload('hasNext' in payload ? answer : null, shown);
      yield answer;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    watch?.end();
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
    const type = headers.get('content-type') ?? 'no type';
    throw new Error(`The answer is no JSON: ${status}, ${type}: ${text.slice(0, 300)}`);
  }
}
