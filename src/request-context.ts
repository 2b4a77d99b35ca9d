import { largeBody } from './bounds.ts';
import { Deadline, type CancelSignal, type Lifetime } from './cancellation.ts';
import type { AppConfig } from './config.ts';
import { violationsOf } from './errors.ts';
import type { Context } from './graphql/context.ts';
import type { OpenReport } from './http/endpoints.ts';
import type { Run } from './http/operation-run.ts';
import type { Request } from './http/request/request.ts';
import { createLoaders } from './lists/loaders.ts';
import { createLookUps } from './lists/look-ups.ts';
import { noDeliveries } from './live/stream-reader.ts';
import type { Beginning, DeliveryFeeds } from './live/delivery-feeds.ts';
import { getChargesBreakdownCsv } from './resources/charges/charges-breakdown.ts';
import type { CountViolation } from './telemetry/metrics.ts';
import { createCall, type Caller } from './upstream/call.ts';
import type { Client } from './upstream/client.ts';
import { Explanation } from './upstream/explanation.ts';
import type { ReadCredential } from './upstream/credential.ts';

/** Items of lists within the rows of large bodies that graphql-js completes for one operation: it does so at a stretch. */
const listedItems = 5_000;

/** The parts that requests use. */
export interface RequestContextParts {
  readonly client: Client;
  readonly readCredential: ReadCredential;
  readonly feeds: DeliveryFeeds;
  /** Aborts when the process cannot wait any longer. */
  readonly stopping: CancelSignal;
  readonly countViolation: CountViolation;
  /** The API's present, in milliseconds since 1970. */
  readonly now: () => number;
}

/** Creates what begins the contexts of operations, and of events of streams; and what opens the CSV report for a download. */
export function createRequestContexts(config: AppConfig, parts: RequestContextParts) {
  const { client, readCredential, feeds, stopping, countViolation, now } = parts;
  const { operationTimeoutMs, upstreamScanPages: scanPages, exposeSecrets } = config;

  /** The caller of a request: its key and identity, its deadline, and what its calls are counted for. */
  function beginCaller(request: Request, lifetime: Lifetime, operation?: Run): Caller & { readonly signal: Deadline } {
    const signal = new Deadline(lifetime, operationTimeoutMs, stopping);
    const { requestId, trace } = request;
    const { headers } = request.req;
    return {
      ...readCredential(headers.authorization, headers['x-sandbox']),
      request,
      signal,
      deadline: signal.at,
      operation,
      span: trace?.current,
      noteViolation: (violation) =>
        countViolation(violation, { requestId, operationName: request.operationName, trace: trace && trace.ids }),
    };
  }

  /** What begins the stream of an operation. */
  function followFor(request: Request, caller: ReturnType<typeof beginCaller>): Context['followDeliveries'] {
    return async (args, states) => {
      // A client that reconnects by itself sends the same operation again, with the id of a later event.
      const last = request.lastEventId;
      const after = states?.after ?? null;
      const beginning: Beginning = {
        eventId: last ?? after,
        from: last === null && after !== null ? 'after' : 'Last-Event-ID',
        hasStates: states !== undefined,
      };
      // Its response has no events.
      if (request.isHead) {
        feeds.check(args, caller, beginning);
        return noDeliveries;
      }
      const source = await feeds.follow(args, caller, beginning);
      // The deadline is for the beginning alone. A stream lasts as long as its reader stays.
      caller.signal.lift();
      return source;
    };
  }

  /** Begins the context of one operation or event. Nothing of it is shared with another. */
  function beginContext(run: Run): Context {
    const { request, lifetime } = run;
    if (lifetime !== request) request.trace?.beginEvent();
    const caller = beginCaller(request, lifetime, run);
    let itemsListed = 0;
    const explanation = request.wantsExplanation ? new Explanation() : null;
    run.explainCalls = explanation && (() => explanation.list(request.hideKey));
    const loaders = createLoaders(explanation?.over(client) ?? client, caller, now);
    // Each part by its name: to spread an object costs several times as much.
    return {
      loaders,
      lookUps: createLookUps(loaders, config),
      followDeliveries: followFor(request, caller),
      exposeSecrets,
      mayList: (items) => run.bytesRead < largeBody || (itemsListed += items) <= listedItems,
      scanPages,
      now,
    };
  }

  const openReport: OpenReport = async (dates, request) => {
    const caller = beginCaller(request, request);
    try {
      const report = await client.stream(createCall(getChargesBreakdownCsv, { ...dates }), caller);
      // The deadline is for the beginning alone. A download takes as long as its reader does.
      caller.signal.lift();
      return report;
    } catch (error) {
      for (const violation of violationsOf(error)) caller.noteViolation?.(violation);
      throw error;
    }
  };

  return { beginContext, openReport };
}
