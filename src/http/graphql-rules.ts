import type { GraphQLSchema } from 'graphql';
import type { EstimateCost } from '../limits/cost.ts';
import type { DocumentLimits } from '../limits/document-limits.ts';
import type { Log } from '../telemetry/log.ts';
import type { CountViolation } from '../telemetry/violation-counter.ts';
import type { GraphqlRule } from './graphql-rule.ts';
import { limitCost } from './rules/cost.ts';
import { limitDocuments, validateDocuments } from './rules/document.ts';
import { refuseIntrospection } from './rules/introspection.ts';
import { formatErrors } from './rules/errors.ts';
import { readExactNumbers } from './rules/exact-numbers.ts';
import { addExtensions } from './rules/extensions.ts';
import { nameOperation } from './rules/operation-name.ts';
import { releaseData } from './rules/held-data.ts';
import { sendRetryAfter } from './rules/retry-after.ts';
import { beginOperationSpan, endOperationSpan } from './rules/trace.ts';
import { coerceOperationVariables } from './rules/variables.ts';
import { countViolations } from './rules/violations.ts';

/** The parts that the rules need. */
export interface RuleOptions {
  readonly schema: GraphQLSchema;
  readonly documentLimits: DocumentLimits;
  readonly estimateCost: EstimateCost;
  /** The most that an operation may cost, in calls and objects. */
  readonly mostCost: number;
  /** Whether clients may read the schema (default true). Else introspection is refused, and no error suggests a name of the schema. */
  readonly isIntrospectable?: boolean;
  /** Where a key is to be had; null, or absent, where nobody says. */
  readonly signupUrl?: string | null;
  /** Whether operations get spans (default false). */
  readonly isTraced?: boolean;
  readonly log: Log;
  readonly countViolation: CountViolation;
}

/**
 * What happens to a GraphQL request, in this order, on every path: fast, through Yoga, compiled, general, in pieces, as a
 * stream. A rule that is added here acts on all of them. Before the first rule, a text or the identifier of a trusted document
 * becomes a document. The fast path skips the rules for documents, since it takes only documents that have passed them.
 */
export function graphqlRules(options: RuleOptions): readonly GraphqlRule[] {
  const { schema, documentLimits, estimateCost, mostCost, log, countViolation } = options;
  const { isIntrospectable = true, signupUrl = null, isTraced = false } = options;
  return [
    limitDocuments(schema, documentLimits),
    ...(isIntrospectable ? [] : [refuseIntrospection()]),
    validateDocuments(schema, isIntrospectable),

    nameOperation(),
    ...(isTraced ? [beginOperationSpan()] : []),
    readExactNumbers(schema),
    coerceOperationVariables(schema, isIntrospectable),
    limitCost(estimateCost, mostCost),

    // Here the operation is executed.

    countViolations(countViolation),
    formatErrors(log, signupUrl),
    ...(isTraced ? [endOperationSpan()] : []),
    sendRetryAfter(),
    releaseData(),
    addExtensions(),
  ];
}
