import { useDeferStream } from '@graphql-yoga/plugin-defer-stream';
import {
  GraphQLError,
  Kind,
  KnownFragmentNamesRule,
  NoFragmentCyclesRule,
  NoUnusedFragmentsRule,
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
  parse,
  Source,
  TokenKind,
  type ASTNode,
  type SourceLocation,
  type Token,
} from 'graphql';
import { errorsPerResponse } from '../bounds.ts';
import { conditionNames, fragmentsOf, innerSetOf, type Fragments } from '../graphql/document.ts';
import { excessIn, type DocumentLimits, tooComplex } from './document-limits.ts';

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
    // The limits measure what fragments make of a document. The other rules would take long for one that is beyond them.
    const ofFragments = validate(this.schema, document, fragmentRules, { maxErrors });
    const excess = ofFragments.length > 0 ? null : excessIn(document, this.#limits);
    if (excess !== null) return [new GraphQLError(excess.message, { originalError: excess })];
    const errors = ofFragments.length > 0 ? ofFragments : this.#errorsOfAllowed(document);
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

/** Each fragment is known, in use, and does not spread itself. */
const fragmentRules: readonly ValidationRule[] = [KnownFragmentNamesRule, NoUnusedFragmentsRule, NoFragmentCyclesRule];

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

/** Refuses a long `label`, which only `@defer` has: each piece of the response repeats it. */
const PieceLabelsRule: ValidationRule = (context) => ({
  Directive(node) {
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

/** The first condition at a root field, or at a fragment of them. Fragments that form a cycle have been refused. */
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

/** Lines that every document may have; else it may have as many as tokens. Comments are no tokens that the parser counts. */
const leastLines = 1_000;

/** Characters of a name or a number in a document. Errors repeat names, one of them for each operation. */
export const nameLength = 1_024;

const bounded: ReadonlySet<string> = new Set([TokenKind.NAME, TokenKind.INT, TokenKind.FLOAT]);

/**
 * Parses a document of bounded length. Drops its text and the chain of its tokens, which take more memory than all the rest; the place
 * of a node is known from its own token (`placeOf`). Throws QUERY_TOO_COMPLEX, or a GraphQLError for a text that is no document.
 */
export function readDocument(text: string, { limitTokens: tokens }: Pick<DocumentLimits, 'limitTokens'>): DocumentNode {
  const mostLines = Math.max(leastLines, tokens);
  const { length: lines } = text.split(/\r\n|[\n\r]/, mostLines + 1);
  if (lines > mostLines) throw tooComplex('size', 'lines or more', mostLines, lines);
  const source = new Source(text);
  const document = parseWithin(source, tokens);
  for (let token = document.loc?.startToken ?? null; token !== null; token = unchained(token))
    if (lengthOf(token) > nameLength) throw tooComplex('size', 'characters of a name', nameLength, lengthOf(token));
  source.body = '';
  return document;
}

/** The length of a name or a number; 0 for any other token. */
function lengthOf({ kind, start, end }: Token): number {
  return bounded.has(kind) ? end - start : 0;
}

/** Where a node stands in the document that it was read from; undefined for one that was not read. */
export function placeOf({ loc }: ASTNode): SourceLocation | undefined {
  if (loc === undefined) return undefined;
  const { startToken: token } = loc;
  // The first token of a document stands for its beginning, and has no place.
  return token.line === 0 ? { line: 1, column: 1 } : { line: token.line, column: token.column };
}

function parseWithin(source: Source, maxTokens: number): DocumentNode {
  try {
    return parse(source, { maxTokens });
  } catch (error) {
    if (isTooLong(error)) throw tooComplex('size', 'tokens or more', maxTokens, maxTokens + 1);
    if (error instanceof GraphQLError) error.extensions['code'] = 'GRAPHQL_PARSE_FAILED';
    throw error;
  }
}

/** Takes a token out of its chain; returns the next. */
function unchained(token: Token): Token | null {
  const { next } = token;
  Object.assign(token, { prev: null, next: null });
  return next;
}

// graphql-js marks the error by its message only. Text of the client is quoted behind other words.
function isTooLong(error: unknown): boolean {
  return (
    error instanceof GraphQLError && /^Syntax Error: Document contains more tha[nt] \d+ tokens/.test(error.message)
  );
}
