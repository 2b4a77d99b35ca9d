import type { GraphQLSchema, ExecutionResult } from 'graphql';
import type { EstimateCost } from '../limits/cost.ts';
import { tooComplex } from '../limits/document-limits.ts';
import type { CountViolation, FieldUsage } from '../telemetry/metrics.ts';
import { createFreeFormCheck } from '../graphql/schema/scalars.ts';
import { createVariableCoercion } from '../graphql/execution/variable-values.ts';
import { createUsageReader } from '../graphql/usage.ts';
import { violationsOf, type ErrorCode } from '../errors.ts';
import type { GraphqlRule } from './operation-run.ts';
import { operationRefusal, inResponseOrder } from './response/error-response.ts';
import { trustedIdOf } from './documents.ts';

/** The parts that the rules need. */
interface RuleOptions {
  readonly schema: GraphQLSchema;
  readonly estimateCost: EstimateCost;
  /** The most that an operation may cost, in calls and objects. */
  readonly mostCost: number;
  /** Whether clients may read the schema. Else no error suggests a name of it. */
  readonly isIntrospectable: boolean;
  readonly countViolation: CountViolation;
  /** Counts the fields that are used; null where nobody does. */
  readonly fieldUsage: FieldUsage | null;
}

/**
 * What happens to a GraphQL request, in this order, on every path: compiled, general, in pieces, as a stream. A rule
 * that is added here acts on all of them. Before the first rule, a text or the identifier of a trusted document becomes a document.
 */
export function graphqlRules(options: RuleOptions): readonly GraphqlRule[] {
  const { schema, estimateCost, mostCost, isIntrospectable, countViolation, fieldUsage } = options;
  return [
    nameOperation,
    findFreeForm(schema),
    coerceOperationVariables(schema, isIntrospectable),
    limitCost(estimateCost, mostCost),

    // Here the operation is executed.

    tellErrors(countViolation),
    endOperation,
    sendLimits,
    ...(fieldUsage === null ? [] : [noteUsage(schema, fieldUsage)]),
    addExtensions,
  ];
}

/** Characters of the name of an operation in the log, the metrics and the spans. */
const shownNameLength = 100;

// The rules before an operation is executed: for its name, its variables, its cost.

/**
 * Finds the operation's name for the log, the metrics and the span, which begins here. The caller's key is hidden in it, and a long name
 * is cut.
 */
const nameOperation: GraphqlRule = {
  prepare({ request, document, definition }) {
    const name = definition.name?.value ?? null;
    const trustedId = trustedIdOf(document);
    request.operationName = name && request.hideKey(name, shownNameLength);
    request.trustedOperation = trustedId && (name ?? trustedId).slice(0, shownNameLength);
    request.trace?.beginOperation(definition.operation, request.operationName);
  },
};

/** Finds whether free-form values are selected. */
function findFreeForm(schema: GraphQLSchema): GraphqlRule {
  const selectsFreeForm = createFreeFormCheck(schema);
  return {
    prepare(run) {
      run.selectsFreeForm = selectsFreeForm(run.document);
    },
  };
}

/** Coerces the variables, and refuses those that do not fit. */
function coerceOperationVariables(schema: GraphQLSchema, isSuggesting: boolean): GraphqlRule {
  const coerceVariables = createVariableCoercion(schema, !isSuggesting);
  return {
    prepare(run) {
      const { coerced, errors } = coerceVariables(run.definition, run.variables);
      if (errors === undefined) run.coerced = coerced;
      else run.refusal = operationRefusal(...errors);
    },
  };
}

/** Estimates what an operation may cost, and refuses what is too much. */
function limitCost(estimateCost: EstimateCost, most: number): GraphqlRule {
  return {
    prepare(run) {
      run.cost = estimateCost(run.document, run.definition, run.coerced);
      const total = run.cost.calls + run.cost.objects;
      if (total > most) run.refusal = operationRefusal(tooComplex('cost', 'calls and objects', most, total));
    },
  };
}

// The rules for what the client gets: errors, headers, extensions; and what is counted of it.

/**
 * Tells the client of errors (interface: "Errors"), in the order of the response, and no more than a response reports. The violations that
 * caused them are counted, once where several fields share a call that failed. What would be kept for long is asked for again, unless its
 * value is only new to the gateway: the next answer may be right.
 */
function tellErrors(countViolation: CountViolation): GraphqlRule {
  return {
    finish(result, run, part) {
      if (result.errors === undefined) return result;
      const { context, request } = run;
      const { requestId, operationName, trace } = request;
      const violations = new Set(result.errors.flatMap(({ originalError }) => violationsOf(originalError)));
      const source = { requestId, operationName, trace: trace && trace.ids };
      for (const violation of violations) countViolation(violation, source);
      if (violations.values().some(({ kind }) => kind !== 'unknown_value')) context?.loaders.forgetFinal();
      const { errors: _errors, ...rest } = result;
      const errors = run.errors.report(inResponseOrder(result), part === 'followed');
      // Nobody gets the errors of a request that its client has given up. Those of events are noted where they are written.
      if (!request.signal.aborted && !run.isEvent) request.noteErrors(codesOf(errors));
      // An earlier piece of the response may have used up the report.
      return errors.length === 0 ? rest : { ...rest, errors };
    },
  };
}

function codesOf(errors: ExecutionResult['errors'] = []): readonly string[] {
  return errors.map(({ extensions }) => String(extensions['code']));
}

/**
 * Ends an operation, or one event of a stream: its span, with the codes of its errors, and the memory of upstream responses. To write the
 * data, which are whole, may take as long as their reader does.
 */
const endOperation: GraphqlRule = {
  finish(result, run, part) {
    const { trace } = run.request;
    trace?.noteErrors(codesOf(result.errors));
    if (part === 'followed') return result;
    trace?.finish();
    run.release();
    return result;
  },
};

/**
 * Sends Retry-After with a result that is RATE_LIMITED as a whole, by its formatted errors, and the tightest rate limit that the
 * operation's calls were told (draft-ietf-httpapi-ratelimit-headers).
 */
const sendLimits: GraphqlRule = {
  finish(result, { rateLimit, request: { res } }, part) {
    // The head of a stream has been sent before its first event.
    if (part !== 'whole' || res.headersSent) return result;
    const wait = result.errors && secondsOf(result);
    if (wait != null) res.setHeader('retry-after', wait);
    if (rateLimit === null) return result;
    const { limit, remaining, resetAt } = rateLimit;
    const seconds = resetAt === null ? '' : `;t=${Math.max(0, Math.ceil((resetAt - Date.now()) / 1000))}`;
    res.setHeader('ratelimit', `"api";r=${remaining}${seconds}`);
    if (limit !== null) res.setHeader('ratelimit-policy', `"api";q=${limit}`);
    return result;
  },
};

/** The longest wait of its errors; null where something in the result is not rate limited, or where no wait is known. */
function secondsOf({ data, errors = [] }: ExecutionResult): number | null {
  if (Object.values(data ?? {}).some((value) => value !== null)) return null;
  if (codesOf(errors).some((code) => code !== ('RATE_LIMITED' satisfies ErrorCode))) return null;
  const waits = errors
    .map(({ extensions }) => extensions['retryAfterSeconds'])
    .filter((wait) => typeof wait === 'number');
  return waits.length === 0 ? null : Math.max(...waits);
}

/** Finds what an operation uses of the schema, and counts it. */
function noteUsage(schema: GraphQLSchema, fieldUsage: FieldUsage): GraphqlRule {
  const readUsage = createUsageReader(schema);
  return {
    prepare(run) {
      run.usage = readUsage(run.document, run.definition, run.coerced);
    },
    finish(result, { request, usage, isEvent }, part) {
      if (usage === null || part === 'followed') return result;
      const { req, client } = request;
      const isRefused = codesOf(result.errors).includes('UNAUTHENTICATED' satisfies ErrorCode);
      // An event is what the API has told for its key.
      const isAccepted = (request.upstreamCalls > 0 || isEvent) && !isRefused;
      const using = { name: client.name, authorization: req.headers.authorization, isAccepted };
      fieldUsage.note(usage, using, { requestId: request.requestId });
      return result;
    },
  };
}

/** Adds extensions to a whole result or its last piece that the client asks for: cost and calls. */
const addExtensions: GraphqlRule = {
  finish(result, run, part) {
    const { request, explainCalls, cost, rateLimit } = run;
    const { wantsCost, upstreamCalls } = request;
    // The fault that ends a stream stands for no execution.
    const isPart = part === 'followed' || (part === 'last' && run.isEvent);
    if (isPart || (!wantsCost && explainCalls === null)) return result;
    const resetAt = rateLimit?.resetAt == null ? null : new Date(rateLimit.resetAt).toISOString();
    const added = {
      ...(wantsCost && cost !== null && { cost: { estimated: cost.calls + cost.objects, upstreamCalls } }),
      ...(wantsCost && { rateLimit: rateLimit && { ...rateLimit, resetAt } }),
      ...(explainCalls !== null && { explain: explainCalls() }),
    };
    return { ...result, extensions: added };
  },
};
