import {
  specifiedRules,
  validate,
  type DocumentNode,
  type GraphQLError,
  type GraphQLSchema,
  type ValidationRule,
} from 'graphql';
import { errorsPerResponse } from '../bounds.ts';
import { OverlappingFieldsCanBeMergedRule } from './overlapping-fields.ts';
import { PieceLabelsRule } from './piece-labels.ts';

// The last one says that there are more.
const maxErrors = errorsPerResponse - 1;

/** Validates a document that is within the limits by these rules, with a bound on the errors and on the time. */
export function validateDocument(
  schema: GraphQLSchema,
  document: DocumentNode,
  rules: readonly ValidationRule[] = specifiedRules,
): readonly GraphQLError[] {
  return validate(schema, document, [...rules.map(bounded), PieceLabelsRule], { maxErrors });
}

/** Whoever has given the rule of that name: it compares each field with each other. */
function bounded(rule: ValidationRule): ValidationRule {
  return rule.name === OverlappingFieldsCanBeMergedRule.name ? OverlappingFieldsCanBeMergedRule : rule;
}
