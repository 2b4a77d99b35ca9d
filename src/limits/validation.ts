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
  return validate(schema, document, [...rules.map(ownOf), ...added], { maxErrors, hideSuggestions });
}

// graphql-js has neither of them.
const added: readonly ValidationRule[] = [KnownOperationTypesRule, PieceLabelsRule];

// Replaced by name, wherever the rules come from: the first compares each field with each other, the other fails at conditions.
const own: ReadonlyMap<string, ValidationRule> = new Map(
  [OverlappingFieldsCanBeMergedRule, SingleFieldSubscriptionsRule].map((rule) => [rule.name, rule]),
);

function ownOf(rule: ValidationRule): ValidationRule {
  return own.get(rule.name) ?? rule;
}
