import {
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  separateOperations,
  typeFromAST,
  TypeInfo,
  visit,
  visitWithTypeInfo,
  type ASTVisitor,
  type DocumentNode,
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

/** Something of the schema that may be deprecated. */
interface Member {
  readonly deprecationReason?: string | null | undefined;
}

class FoundUsage implements Usage {
  readonly coordinates: Set<string>;
  readonly deprecations: Map<string, string>;

  constructor(known?: Usage) {
    this.coordinates = new Set(known?.coordinates);
    this.deprecations = new Map(known?.deprecations);
  }

  noteDeprecation(coordinate: string, member: Member | null | undefined): void {
    if (member?.deprecationReason == null) return;
    this.coordinates.add(coordinate);
    this.deprecations.set(coordinate, member.deprecationReason);
  }

  /** Notes what is deprecated of a coerced value. */
  noteValue(value: unknown, given: GraphQLInputType): void {
    const type = getNullableType(given);
    if (value == null) return;
    if (isListType(type)) for (const item of value as readonly unknown[]) this.noteValue(item, type.ofType);
    else if (isEnumType(type) && typeof value === 'string')
      this.noteDeprecation(`${type.name}.${value}`, type.getValue(value));
    else if (isInputObjectType(type))
      for (const [name, inner] of Object.entries(value)) {
        const field = type.getFields()[name];
        this.noteDeprecation(`${type.name}.${name}`, field);
        if (field !== undefined) this.noteValue(inner, field.type);
      }
  }
}

/** Variables whose values may hold something deprecated, with their types. */
type Variables = readonly (readonly [name: string, type: GraphQLInputType])[];

/** Creates the reader for a schema, which looks through each operation once. Variables alone are looked through each time. */
export function createUsageReader(schema: GraphQLSchema): UsageReader {
  const known = new WeakMap<OperationDefinitionNode, { readonly usage: Usage; readonly variables: Variables }>();

  function read(document: DocumentNode, operation: OperationDefinitionNode) {
    const usage = new FoundUsage();
    const typeInfo = new TypeInfo(schema);
    const alone = separateOperations(document)[operation.name?.value ?? ''] ?? document;
    visit(alone, visitWithTypeInfo(typeInfo, usageVisitor(typeInfo, usage)));
    const found = { usage, variables: variablesOf(operation, schema) };
    known.set(operation, found);
    return found;
  }

  return (document, operation, values) => {
    const { usage, variables } = known.get(operation) ?? read(document, operation);
    if (variables.length === 0) return usage;
    const whole = new FoundUsage(usage);
    for (const [name, type] of variables) whole.noteValue(values[name], type);
    return whole;
  };
}

function variablesOf({ variableDefinitions = [] }: OperationDefinitionNode, schema: GraphQLSchema): Variables {
  return variableDefinitions.flatMap(({ variable, type: node }) => {
    const type = typeFromAST(schema, node) as GraphQLInputType | undefined;
    const named = getNamedType(type);
    return type !== undefined && (isInputObjectType(named) || isEnumType(named)) ? [[variable.name.value, type]] : [];
  });
}

function usageVisitor(typeInfo: TypeInfo, usage: FoundUsage): ASTVisitor {
  const fieldCoordinate = (): string => `${typeInfo.getParentType()?.name}.${typeInfo.getFieldDef()?.name}`;
  return {
    Field() {
      const coordinate = fieldCoordinate();
      if (coordinate.startsWith('__') || coordinate.includes('.__')) return;
      usage.coordinates.add(coordinate);
      usage.noteDeprecation(coordinate, typeInfo.getFieldDef());
    },
    Argument({ name }) {
      usage.noteDeprecation(`${fieldCoordinate()}(${name.value}:)`, typeInfo.getArgument());
    },
    ObjectField({ name }) {
      const type = getNamedType(typeInfo.getParentInputType());
      if (isInputObjectType(type)) usage.noteDeprecation(`${type.name}.${name.value}`, type.getFields()[name.value]);
    },
    EnumValue({ value }) {
      usage.noteDeprecation(`${getNamedType(typeInfo.getInputType())?.name}.${value}`, typeInfo.getEnumValue());
    },
  };
}
