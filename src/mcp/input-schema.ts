import {
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  TypeInfo,
  typeFromAST,
  valueFromASTUntyped,
  visit,
  visitWithTypeInfo,
  type DocumentNode,
  type GraphQLInputType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type VariableDefinitionNode,
} from 'graphql';
import { oneLine } from './one-line.ts';

/** A JSON Schema in plain types, as every host of tools reads it. */
export interface ValueSchema {
  readonly type?: 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object';
  readonly description?: string;
  readonly format?: 'date' | 'date-time';
  readonly enum?: readonly string[];
  readonly default?: unknown;
  readonly items?: ValueSchema;
  readonly properties?: Readonly<Record<string, ValueSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
}

/** The schema of an object that has no other members. */
export interface ObjectSchema extends ValueSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, ValueSchema>>;
}

const scalars: Readonly<Record<string, ValueSchema>> = {
  Int: { type: 'integer' },
  Float: { type: 'number' },
  Boolean: { type: 'boolean' },
  String: { type: 'string' },
  ID: { type: 'string' },
  Decimal: { type: 'string' },
  Date: { type: 'string', format: 'date' },
  DateTime: { type: 'string', format: 'date-time' },
  JSONObject: { type: 'object' },
};

/**
 * Describes the variables of an operation as JSON Schema. A variable without a description has that of the argument or input
 * field at which it is used.
 */
export function inputSchemaOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  { variableDefinitions = [] }: OperationDefinitionNode,
): ObjectSchema {
  const described = descriptionsIn(schema, document);
  const properties = variableDefinitions.map((node) => {
    const name = node.variable.name.value;
    const { defaultValue } = node;
    const description = node.description?.value ?? described.get(name);
    return [
      name,
      {
        ...valueSchemaOf(typeOf(schema, node)),
        ...(description !== undefined && { description: oneLine(description) }),
        ...(defaultValue !== undefined && { default: valueFromASTUntyped(defaultValue) }),
      },
    ] as const;
  });
  const required = variableDefinitions
    .filter((node) => isNonNullType(typeOf(schema, node)) && node.defaultValue === undefined)
    .map((node) => node.variable.name.value);
  return objectSchema(Object.fromEntries(properties), required);
}

/** Creates the schema of an object with these members and no others. */
export function objectSchema(
  properties: Readonly<Record<string, ValueSchema>>,
  required: readonly string[] = [],
): ObjectSchema {
  return { type: 'object', properties, ...(required.length > 0 && { required }), additionalProperties: false };
}

function typeOf(schema: GraphQLSchema, { type, variable }: VariableDefinitionNode): GraphQLInputType {
  const found = typeFromAST(schema, type);
  if (found === undefined) throw new Error(`the type of $${variable.name.value} is not in the schema`);
  return found as GraphQLInputType;
}

function valueSchemaOf(type: GraphQLInputType): ValueSchema {
  if (isNonNullType(type)) return valueSchemaOf(type.ofType);
  if (isListType(type)) return { type: 'array', items: valueSchemaOf(type.ofType) };
  if (isEnumType(type)) return { type: 'string', enum: type.getValues().map(({ name }) => name) };
  if (!isInputObjectType(type)) return scalars[getNamedType(type).name] ?? {};
  const fields = Object.values(type.getFields());
  const properties = fields.map(({ name, type: fieldType, description }) => {
    const valueSchema = valueSchemaOf(fieldType);
    return [name, description == null ? valueSchema : { ...valueSchema, description: oneLine(description) }] as const;
  });
  const required = fields.filter((field) => isNonNullType(field.type) && field.defaultValue === undefined);
  return objectSchema(
    Object.fromEntries(properties),
    required.map(({ name }) => name),
  );
}

/** The descriptions of the places at which variables are used first, by the names of the variables. */
function descriptionsIn(schema: GraphQLSchema, document: DocumentNode): ReadonlyMap<string, string> {
  const described = new Map<string, string>();
  const typeInfo = new TypeInfo(schema);
  let field: string | null = null;
  visit(
    document,
    visitWithTypeInfo(typeInfo, {
      VariableDefinition: () => false,
      ObjectField: { enter: ({ name }) => void (field = name.value), leave: () => void (field = null) },
      Variable({ name }) {
        const parent = getNamedType(typeInfo.getParentInputType());
        const place = field !== null && isInputObjectType(parent) ? parent.getFields()[field] : typeInfo.getArgument();
        if (place?.description != null && !described.has(name.value)) described.set(name.value, place.description);
      },
    }),
  );
  return described;
}
