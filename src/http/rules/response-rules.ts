import type { GraphQLSchema, ExecutionResult } from 'graphql';
import { createUsageReader } from '../../graphql/usage.ts';
import type { FieldUsage } from '../../telemetry/field-usage.ts';
import type { Log } from '../../telemetry/log.ts';
import type { CountViolation } from '../../telemetry/metrics.ts';
import type { GraphqlRule, Run } from '../run.ts';
import { formattableFailure, inResponseOrder, logInternalError } from '../response/error-response.ts';
import { violationsOf, type ErrorCode } from '../../errors.ts';

// The rules for what the client gets: errors, headers, extensions; and what is counted of it.

/** Ends the span of an operation, or of one event of a stream, with the codes of its errors. */
export const endOperationSpan: GraphqlRule = {
  finish(result, { request }, part) {
    const { trace } = request;
    trace?.noteErrors(result.errors?.map(({ extensions }) => String(extensions['code'])) ?? []);
    if (part !== 'followed') trace?.finish();
    return result;
  },
};

/** Counts the violations that caused errors. Each value counts once in a response, no matter how often it was selected. */
export function countViolations(countViolation: CountViolation): GraphqlRule {
  return {
    finish(result, run) {
      for (const { originalError } of result.errors ?? [])
        for (const violation of violationsOf(originalError)) {
          const { requestId, trace } = run.request;
          const source = { requestId, operationName: run.name, trace: trace && trace.ids };
          if (run.countedViolations.isNew(violation)) countViolation(violation, source);
        }
      return result;
    },
  };
}

/** Formats errors for the client (interface: "Errors"), in the order of the response, and no more than a response reports. */
export function formatErrors(log: Log, signupUrl: string | null): GraphqlRule {
  function failuresOf(result: ExecutionResult, { request, lifetime: { signal } }: Run) {
    const { requestId, trace } = request;
    const logCause = (cause: unknown): void => logInternalError(log, { requestId, trace, signal }, cause);
    return inResponseOrder(result).map((error) => formattableFailure(error, request, logCause, signupUrl));
  }

  return {
    finish(result, run, part) {
      if (result.errors === undefined) return result;
      const { request } = run;
      const { errors: _errors, ...rest } = result;
      const errors = run.errors.report(failuresOf(result, run), part === 'followed');
      // Nobody gets the errors of a request that its client has given up. Those of events are noted where they are written.
      if (!request.signal.aborted && run.eventId === null)
        request.noteErrors(errors.map(({ extensions }) => String(extensions['code'])));
      // An earlier piece of the response may have used up the report.
      return errors.length === 0 ? rest : { ...rest, errors };
    },
  };
}

/** Sends Retry-After with a result that is RATE_LIMITED as a whole. It reads formatted errors. */
export const sendRetryAfter: GraphqlRule = {
  finish(result, { request: { res } }, part) {
    // The head of a stream has been sent before its first event.
    if (result.errors === undefined || part !== 'whole' || res.headersSent) return result;
    const seconds = secondsOf(result);
    if (seconds !== null) res.setHeader('retry-after', seconds);
    return result;
  },
};

/** The longest wait of its errors; null where something in the result is not rate limited, or where no wait is known. */
function secondsOf({ data, errors = [] }: ExecutionResult): number | null {
  if (Object.values(data ?? {}).some((value) => value !== null)) return null;
  if (!errors.every(({ extensions }) => extensions['code'] === ('RATE_LIMITED' satisfies ErrorCode))) return null;
  const waits = errors
    .map(({ extensions }) => extensions['retryAfterSeconds'])
    .filter((wait) => typeof wait === 'number');
  return waits.length === 0 ? null : Math.max(...waits);
}

/** Sends the tightest rate limit that the operation's calls were told (draft-ietf-httpapi-ratelimit-headers). */
export const sendRateLimit: GraphqlRule = {
  finish(result, { rateLimit, request: { res } }, part) {
    const told = part === 'whole' && !res.headersSent ? rateLimit : null;
    if (told === null) return result;
    const { limit, remaining, resetAt } = told;
    const seconds = resetAt === null ? '' : `;t=${Math.max(0, Math.ceil((resetAt - Date.now()) / 1000))}`;
    res.setHeader('ratelimit', `"api";r=${remaining}${seconds}`);
    if (limit !== null) res.setHeader('ratelimit-policy', `"api";q=${limit}`);
    return result;
  },
};

/** The same for those who read the body alone. */
function rateLimitOf({ rateLimit }: Run) {
  const { limit, remaining, resetAt } = rateLimit ?? {};
  if (remaining === undefined) return null;
  return { limit, remaining, resetAt: resetAt == null ? null : new Date(resetAt).toISOString() };
}

/** Releases the memory of upstream responses once the data are whole. Writing them may take as long as their reader does. */
export const releaseData: GraphqlRule = {
  finish(result, run, part) {
    if (part !== 'followed') run.release();
    return result;
  },
};

/** Finds what an operation uses of the schema, where that is counted. */
export function noteUsage(schema: GraphQLSchema, fieldUsage: FieldUsage | null): GraphqlRule {
  const readUsage = createUsageReader(schema);
  return {
    prepare(run) {
      const { document, definition } = run.asked;
      if (fieldUsage === null || definition === null || run.coerced === null) return;
      run.usage = readUsage(document, definition, run.coerced);
    },
    finish(result, { request, usage, context, eventId }, part) {
      if (fieldUsage === null || usage === null || context === null || part === 'followed') return result;
      const { req, client } = request;
      const isRefused = result.errors?.some(
        ({ extensions }) => extensions['code'] === ('UNAUTHENTICATED' satisfies ErrorCode),
      );
      // An event is what the API has told for its key.
      const isAccepted = (request.upstreamCalls > 0 || eventId !== null) && isRefused !== true;
      const { requestId, trace } = request;
      fieldUsage.note(
        usage,
        { name: client.name, authorization: req.headers.authorization, isAccepted },
        { requestId, ...trace?.ids },
      );
      return result;
    },
  };
}

/** Adds extensions to a whole result or its last piece that the client asks for: cost, calls, the id of its event. */
export const addExtensions: GraphqlRule = {
  finish(result, run, part) {
    const { wantsCost, lastEventId, upstreamCalls } = run.request;
    const { explainCalls, cost } = run;
    // The fault that ends a stream stands for no execution.
    const isPart = part === 'followed' || (part === 'last' && run.eventId !== null);
    const isAsked = wantsCost || explainCalls !== null || lastEventId !== null;
    if (isPart || !isAsked) return result;
    // For clients that cannot read the id of an event. An empty header asks for it too.
    const eventId = lastEventId === null ? null : run.eventId;
    const added = {
      ...(wantsCost && cost !== null && { cost: { estimated: cost.calls + cost.objects, upstreamCalls } }),
      ...(wantsCost && { rateLimit: rateLimitOf(run) }),
      ...(explainCalls !== null && { explain: explainCalls() }),
      ...(eventId !== null && { lastEventId: eventId }),
    };
    if (Object.keys(added).length === 0) return result;
    return { ...result, extensions: { ...result.extensions, ...added } };
  },
};
