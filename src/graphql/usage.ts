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

/** What an operation uses of the schema. */
export interface Usage {
  /**
   * The fields that it selects, each once, by the type on which the document selects them: `IpConnection.createdAt`. Deprecated arguments,
   * input fields and enum values are among them; introspection is not.
   */
  readonly coordinates: ReadonlySet<string>;
  /** Why those of them that are deprecated are so. */
  readonly deprecations: ReadonlyMap<string, string>;
}

/** Finds what an operation of a valid document uses, by its coerced variables. */
type UsageReader = (document: DocumentNode, operation: OperationDefinitionNode, variables: Values) => Usage;

/** Creates the reader for a schema, which looks through each operation once. Arguments are looked through each time. */
export function createUsageReader(schema: GraphQLSchema): UsageReader {
  const known = new WeakMap<OperationDefinitionNode, readonly SelectedField[]>();
  return (document, operation, variables) => {
    const fields = known.get(operation) ?? fieldsIn(document, operation, schema);
    known.set(operation, fields);
    const usage = new FoundUsage();
    for (const each of fields) usage.noteField(each, variables);
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

class FoundUsage implements Usage {
  readonly coordinates = new Set<string>();
  readonly deprecations = new Map<string, string>();

  noteField({ coordinate, definition, node }: SelectedField, variables: Values): void {
    this.coordinates.add(coordinate);
    this.#note(coordinate, definition);
    for (const { name, value } of node.arguments ?? []) {
      const argument = definition.args.find((each) => each.name === name.value);
      if (argument === undefined) continue;
      this.#note(`${coordinate}(${name.value}:)`, argument);
      this.#noteValue(valueFromAST(value, argument.type, variables), argument.type);
    }
  }

  #note(
    coordinate: string,
    member: { readonly deprecationReason?: string | null | undefined } | null | undefined,
  ): void {
    if (member?.deprecationReason == null) return;
    this.coordinates.add(coordinate);
    this.deprecations.set(coordinate, member.deprecationReason);
  }

  #noteValue(value: unknown, given: GraphQLInputType): void {
    const type = getNullableType(given);
    if (value == null) return;
    if (isListType(type)) for (const item of value as readonly unknown[]) this.#noteValue(item, type.ofType);
    else if (isEnumType(type)) this.#note(`${type.name}.${value as string}`, type.getValue(value as string));
    else if (isInputObjectType(type))
      for (const [name, inner] of Object.entries(value)) {
        const field = type.getFields()[name];
        this.#note(`${type.name}.${name}`, field);
        if (field !== undefined) this.#noteValue(inner, field.type);
      }
  }
}
