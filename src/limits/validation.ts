import { useDeferStream } from '@graphql-yoga/plugin-defer-stream';
import {
  GraphQLError,
  Kind,
  OperationTypeNode,
  SingleFieldSubscriptionsRule as PublicRule,
  specifiedRules,
  validate,
  visit,
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValidationRule,
} from 'graphql';
import { errorsPerResponse } from '../bounds.ts';
import { GatewayError } from '../errors.ts';
import { conditionNames, fragmentsOf, innerSetOf, type Fragments } from '../graphql/document.ts';
import { refusalOf, type DocumentLimits } from './document-limits.ts';
import { readDocument } from './document-text.ts';

/** Characters of a label of `@defer`, which each piece repeats. Those that Relay writes have about a hundred. */
export const labelLength = 200;

// graphql-js adds one more, which reports that there are too many.
const maxErrors = errorsPerResponse - 1;

/** Reads the documents that a gateway takes: those within its limits, and valid by its schema. */
export class DocumentReader {
  readonly schema: GraphQLSchema;
  readonly #limits: DocumentLimits;
  readonly #isIntrospectable: boolean;

  /** `isIntrospectable`: clients may read the schema. Else introspection is refused, and no error suggests a name of the schema. */
  constructor(schema: GraphQLSchema, limits: DocumentLimits, isIntrospectable = true) {
    this.schema = schema;
    this.#limits = limits;
    this.#isIntrospectable = isIntrospectable;
  }

  /** Parses a text. Throws QUERY_TOO_COMPLEX, or a GraphQLError where it is no document. */
  read(text: string): DocumentNode {
    return readDocument(text, this.#limits);
  }

  /** Returns the errors for which a document is not served, with their codes; none if it is. They are bounded, and so is the time. */
  errorsOf(document: DocumentNode): readonly GraphQLError[] {
    // It comes first, since validating such a document would take long.
    const refusal = refusalOf(document, this.schema, this.#limits);
    if (refusal instanceof GatewayError) return [new GraphQLError(refusal.message, { originalError: refusal })];
    const errors = refusal === null ? this.#errorsOfAllowed(document) : [refusal];
    for (const { extensions } of errors) extensions['code'] ??= 'GRAPHQL_VALIDATION_FAILED';
    return errors;
  }

  #errorsOfAllowed(document: DocumentNode): readonly GraphQLError[] {
    const hideSuggestions = !this.#isIntrospectable;
    const nodes = hideSuggestions ? schemaFieldsIn(document) : [];
    if (nodes.length === 0) return validate(this.schema, document, rules, { maxErrors, hideSuggestions });
    const message = 'This gateway does not show its schema: introspection is off.';
    return [new GraphQLError(message, { nodes, extensions: { code: 'INTROSPECTION_DISABLED' } })];
  }
}

// `_service` returns the SDL of the subgraph, which is the whole schema.
const schemaFields: ReadonlySet<string> = new Set(['__schema', '__type', '_service']);

/** The fields that read the schema anywhere: at the root, by an alias, in a fragment, or where they would be skipped. */
function schemaFieldsIn(document: DocumentNode): readonly FieldNode[] {
  const found: FieldNode[] = [];
  visit(document, {
    [Kind.FIELD](node) {
      if (schemaFields.has(node.name.value)) found.push(node);
    },
  });
  return found;
}

/**
 * An operation is of a type that the schema has (GraphQL of September 2025, section 5.2.1.1). graphql-js reports the others when it
 * executes them, with data that are null, as if the operation had run.
 */
const KnownOperationTypesRule: ValidationRule = (context) => ({
  OperationDefinition(node) {
    if (context.getSchema().getRootType(node.operation) != null) return;
    context.reportError(new GraphQLError(`This gateway has no ${node.operation}s.`, { nodes: node }));
  },
});

/** Refuses a long `label` of `@defer`: each piece of the response repeats it. */
const PieceLabelsRule: ValidationRule = (context) => ({
  Directive(node) {
    if (node.name.value !== 'defer') return;
    const label = node.arguments?.find(({ name }) => name.value === 'label')?.value;
    if (label?.kind !== Kind.STRING || label.value.length <= labelLength) return;
    const message = `The label of @defer may have ${labelLength} characters.`;
    context.reportError(new GraphQLError(message, { nodes: node }));
  },
});

/**
 * A subscription selects one field, without a condition (GraphQL of September 2025, section 5.2.4.1). The rule of graphql-js checks the
 * number of fields only: it throws where the condition is a variable, and execution throws where the condition leaves the field out.
 */
const SingleFieldSubscriptionsRule: ValidationRule = (context) => {
  // The rule of graphql-js visits nothing else.
  const publicRule = PublicRule(context) as { OperationDefinition(operation: OperationDefinitionNode): void };
  return {
    OperationDefinition(operation) {
      if (operation.operation !== OperationTypeNode.SUBSCRIPTION) return;
      const condition = conditionIn(operation.selectionSet, fragmentsOf(context.getDocument()));
      if (condition === undefined) return publicRule.OperationDefinition(operation);
      const message = `A subscription selects its field without "@${condition.name.value}".`;
      context.reportError(new GraphQLError(message, { nodes: condition }));
    },
  };
};

/** The first condition at a root field, or at a fragment of them. The limits have refused fragments that form a cycle. */
function conditionIn({ selections }: SelectionSetNode, fragments: Fragments): DirectiveNode | undefined {
  for (const node of selections) {
    const inner = node.kind === Kind.FIELD ? undefined : innerSetOf(node, fragments);
    const own = node.directives?.find(({ name }) => conditionNames.has(name.value));
    const condition = own ?? (inner && conditionIn(inner, fragments));
    if (condition !== undefined) return condition;
  }
  return undefined;
}

// In graphql-js the first fails at conditions, and there are no others.
const own: readonly ValidationRule[] = [SingleFieldSubscriptionsRule, KnownOperationTypesRule, PieceLabelsRule];
const ownNames: ReadonlySet<string> = new Set(own.map(({ name }) => name));

/** The rules for `@defer` that Yoga has. Its other one merges fields, which graphql-js does with a bound. */
function deferRules(): readonly ValidationRule[] {
  const added: ValidationRule[] = [];
  const hook = { params: {}, addValidationRule: (rule: ValidationRule) => void added.push(rule) };
  useDeferStream().onValidate?.(hook as never);
  return added.filter(({ name }) => specifiedRules.every((other) => other.name !== name));
}

// Our rules take the places of others by name.
const others = [...specifiedRules, ...deferRules()].filter(({ name }) => !ownNames.has(name));
const rules = [...others, ...own];
