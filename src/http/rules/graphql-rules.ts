import type { GraphQLSchema } from 'graphql';
import type { EstimateCost } from '../../limits/cost.ts';
import type { DocumentLimits } from '../../limits/document-limits.ts';
import type { FieldUsage } from '../../telemetry/field-usage.ts';
import type { Log } from '../../telemetry/log.ts';
import type { CountViolation } from '../../telemetry/metrics.ts';
import type { GraphqlRule } from '../run.ts';
import {
  limitDocuments,
  validateDocuments,
  refuseIntrospection,
  nameOperation,
  beginOperationSpan,
  readExactNumbers,
  coerceOperationVariables,
  limitCost,
} from './operation-rules.ts';
import {
  countViolations,
  formatErrors,
  endOperationSpan,
  sendRetryAfter,
  sendRateLimit,
  releaseData,
  noteUsage,
  addExtensions,
} from './response-rules.ts';

/** The parts that the rules need. */
interface RuleOptions {
  readonly schema: GraphQLSchema;
  readonly documentLimits: DocumentLimits;
  readonly estimateCost: EstimateCost;
  /** The most that an operation may cost, in calls and objects. */
  readonly mostCost: number;
  /** Whether clients may read the schema. Else introspection is refused, and no error suggests a name of the schema. */
  readonly isIntrospectable: boolean;
  /** Where a key is to be had; null where nobody says. */
  readonly signupUrl: string | null;
  readonly log: Log;
  readonly countViolation: CountViolation;
  /** Counts the fields that are used; null where nobody does. */
  readonly fieldUsage: FieldUsage | null;
}

/**
 * What happens to a GraphQL request, in this order, on every path: fast, through Yoga, compiled, general, in pieces, as a
 * stream. A rule that is added here acts on all of them. Before the first rule, a text or the identifier of a trusted document
 * becomes a document. The fast path skips the rules for documents, since it takes only documents that have passed them.
 */
export function graphqlRules(options: RuleOptions): readonly GraphqlRule[] {
  const { schema, documentLimits, estimateCost, mostCost, isIntrospectable } = options;
  const { signupUrl, log, countViolation, fieldUsage } = options;
  return [
    limitDocuments(schema, documentLimits),
    ...(isIntrospectable ? [] : [refuseIntrospection]),
    validateDocuments(schema, isIntrospectable),

    nameOperation,
    beginOperationSpan,
    readExactNumbers(schema),
    coerceOperationVariables(schema, isIntrospectable),
    limitCost(estimateCost, mostCost),

    // Here the operation is executed.

    countViolations(countViolation),
    formatErrors(log, signupUrl),
    endOperationSpan,
    sendRetryAfter,
    sendRateLimit,
    releaseData,
    noteUsage(schema, fieldUsage),
    addExtensions,
  ];
}
