import {
  specifiedRules,
  validate,
  type DocumentNode,
  type GraphQLError,
  type GraphQLSchema,
  type ValidationRule,
} from 'graphql';
import { errorsPerResponse } from '../bounds.ts';
import { KnownOperationTypesRule } from './known-operation-types.ts';
import { OverlappingFieldsCanBeMergedRule } from './overlapping-fields.ts';
import { PieceLabelsRule } from './piece-labels.ts';
import { SingleFieldSubscriptionsRule } from './single-field-subscriptions.ts';

// graphql-js adds one more, which reports that there are too many.
const maxErrors = errorsPerResponse - 1;

/**
 * Validates a document that is within the limits by these rules, with a bound on the errors and on the time. `hideSuggestions`
 * leaves out of the errors which names of the schema might have been meant.
 */
export function validateDocument(
  schema: GraphQLSchema,
  document: DocumentNode,
  rules: readonly ValidationRule[] = specifiedRules,
  hideSuggestions = false,
): readonly GraphQLError[] {
  return validate(schema, document, rules === specifiedRules ? defaultRules : withOwn(rules), {
    maxErrors,
    hideSuggestions,
  });
}

// In graphql-js the first compares each field with each other, the second fails at conditions, and there are no others.
const own: readonly ValidationRule[] = [
  OverlappingFieldsCanBeMergedRule,
  SingleFieldSubscriptionsRule,
  KnownOperationTypesRule,
  PieceLabelsRule,
];
const ownNames: ReadonlySet<string> = new Set(own.map(({ name }) => name));
const defaultRules = withOwn(specifiedRules);

/** Our rules take the places of others by name, behind all that are left: errors come in one order, wherever the rules come from. */
function withOwn(rules: readonly ValidationRule[]): readonly ValidationRule[] {
  return [...rules.filter(({ name }) => !ownNames.has(name)), ...own];
}
