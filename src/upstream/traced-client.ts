import { gatewayErrorsOf } from '../errors.ts';
import { newCallTrace, originOf, type Call } from './call.ts';
import type { Caller } from './caller.ts';
import type { Client, Fetched } from './client.ts';

/** A client whose calls have spans: one for each caller of a call, above those of its attempts (stages/trace-attempts.ts). */
export function traceCalls(client: Client): Client {
  const fetch = client.fetch?.bind(client);
  return {
    get: (call, caller) => traced(call, caller, (own) => client.get(call, own)),
    ...(fetch !== undefined && {
      fetch: (call, caller) => traced(call, caller, (own) => fetch(call, own), failureIn),
    }),
    stream: (call, caller) => traced(call, caller, (own) => client.stream(call, own)),
  };
}

/** What an unread response fails with once it is read; null where it is whole. Reading it again costs nothing. */
async function failureIn({ bytes, read }: Fetched<unknown>): Promise<unknown> {
  if (bytes !== null) return null;
  return read().then(
    () => null,
    (error: unknown) => error,
  );
}

async function traced<Result>(
  call: Call<unknown>,
  caller: Caller,
  make: (caller: Caller) => Promise<Result>,
  failureOf: (result: Result) => Promise<unknown> = async () => null,
): Promise<Result> {
  const { name } = call.endpoint;
  if (caller.span?.isRecorded !== true) return make(caller);
  const span = caller.span.begin(`upstream ${name}`, 'internal', { 'switchboard.operation': name });
  const trace = caller.trace ?? newCallTrace();
  const attributes = () => {
    const origin = originOf(trace);
    return {
      'switchboard.call.origin': origin ?? undefined,
      'switchboard.call.attempts': origin === 'own' ? trace.sent.count : undefined,
      'http.response.body.size': trace.bytes ?? undefined,
    };
  };
  const typeOf = (error: unknown): string =>
    caller.signal.aborted ? 'aborted' : (gatewayErrorsOf(error)[0]?.code ?? '_OTHER');
  try {
    const result = await make({ ...caller, span, trace });
    const failure = await failureOf(result);
    span.end(attributes(), failure === null ? null : typeOf(failure));
    return result;
  } catch (error) {
    span.end(attributes(), typeOf(error));
    throw error;
  }
}
