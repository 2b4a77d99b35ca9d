import {
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  separateOperations,
  TypeInfo,
  valueFromAST,
  visit,
  visitWithTypeInfo,
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import type { Values } from './document.ts';

/**
 * What an operation uses of the schema: the fields that it selects, each once, by the type on which the document selects them
 * (`IpConnection.createdAt`), and arguments, input fields and enum values that are deprecated. With the reason why it is deprecated,
 * or null. Introspection is not among them.
 */
export type Usage = ReadonlyMap<string, string | null>;

/** Finds what an operation of a valid document uses, by its coerced variables. */
type UsageReader = (document: DocumentNode, operation: OperationDefinitionNode, variables: Values) => Usage;

/** Creates the reader for a schema, which looks through each operation once. Arguments are looked through each time. */
export function createUsageReader(schema: GraphQLSchema): UsageReader {
  const known = new WeakMap<OperationDefinitionNode, readonly SelectedField[]>();
  return (document, operation, variables) => {
    const fields = known.getOrInsertComputed(operation, () => fieldsIn(document, operation, schema));
    const usage = new Map<string, string | null>();
    for (const { coordinate, definition, node } of fields) {
      usage.set(coordinate, definition.deprecationReason ?? null);
      for (const { name, value } of node.arguments ?? []) {
        const argument = definition.args.find((each) => each.name === name.value);
        if (argument === undefined) continue;
        noteDeprecated(usage, `${coordinate}(${name.value}:)`, argument);
        noteValue(usage, valueFromAST(value, argument.type, variables), argument.type);
      }
    }
    return usage;
  };
}

interface SelectedField {
  readonly coordinate: string;
  readonly definition: GraphQLField<unknown, unknown>;
  readonly node: FieldNode;
}

function fieldsIn(document: DocumentNode, { name }: OperationDefinitionNode, schema: GraphQLSchema) {
  const found: SelectedField[] = [];
  const types = new TypeInfo(schema);
  const Field = (node: FieldNode): void => {
    const [type, definition] = [types.getParentType(), types.getFieldDef()];
    if (type == null || definition == null || type.name.startsWith('__') || definition.name.startsWith('__')) return;
    found.push({ coordinate: `${type.name}.${definition.name}`, definition, node });
  };
  visit(separateOperations(document)[name?.value ?? ''] ?? document, visitWithTypeInfo(types, { Field }));
  return found;
}

type Deprecable = { readonly deprecationReason?: string | null | undefined } | null | undefined;

function noteDeprecated(usage: Map<string, string | null>, coordinate: string, member: Deprecable): void {
  if (member?.deprecationReason != null) usage.set(coordinate, member.deprecationReason);
}

/** Notes what is deprecated in the value of an argument or input field. */
function noteValue(usage: Map<string, string | null>, value: unknown, given: GraphQLInputType): void {
  const type = getNullableType(given);
  if (value == null) return;
  if (isListType(type)) for (const item of value as readonly unknown[]) noteValue(usage, item, type.ofType);
  else if (isEnumType(type)) noteDeprecated(usage, `${type.name}.${value as string}`, type.getValue(value as string));
  else if (isInputObjectType(type))
    for (const [name, inner] of Object.entries(value)) {
      const field = type.getFields()[name];
      noteDeprecated(usage, `${type.name}.${name}`, field);
      if (field !== undefined) noteValue(usage, inner, field.type);
    }
}
