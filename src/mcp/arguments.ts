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
  Kind,
  type ArgumentNode,
  type FieldNode,
  type ObjectFieldNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql';
import type { ArgumentPath } from '../errors.ts';
import { fieldsIn, fragmentsOf, type Fragments } from '../graphql/document.ts';

/** Rows that a call of a tool may ask for: as many of a kilobyte each fill a result. */
const rowsPerResult = 100;

/** A JSON Schema in plain types, as every host of tools reads it. */
export interface ValueSchema {
  readonly type?: 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object';
  readonly description?: string;
  readonly format?: 'date' | 'date-time';
  readonly enum?: readonly string[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
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

/** A variable, or a field of an input object. */
interface Member {
  readonly name: string;
  readonly type: GraphQLInputType;
  readonly description?: string | null | undefined;
  readonly hasDefault: boolean;
  /** What its schema says besides. */
  readonly more?: ValueSchema;
}

/**
 * Describes the variables of a valid operation as JSON Schema. A variable without a description has that of the argument or input
 * field at which it is used. One that says how many rows there are has bounds, which each call is held to.
 */
export function inputSchemaOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  { variableDefinitions = [] }: OperationDefinitionNode,
): ObjectSchema {
  const uses = usesIn(schema, document);
  const members = variableDefinitions.map(({ variable, type, description, defaultValue }): Member => {
    const name = variable.name.value;
    const { description: inherited, isPageSize = false } = uses.get(name) ?? {};
    const fallback = defaultValue === undefined ? undefined : valueFromASTUntyped(defaultValue);
    return {
      name,
      type: typeFromAST(schema, type) as GraphQLInputType,
      description: description?.value ?? (isPageSize ? 'How many items to return' : inherited),
      hasDefault: defaultValue !== undefined,
      more: {
        ...(isPageSize && { minimum: 1, maximum: Math.max(rowsPerResult, Number(fallback ?? 0)) }),
        ...(defaultValue !== undefined && { default: fallback }),
      },
    };
  });
  return schemaOfMembers(members);
}

/** Creates the schema of an object with these members and no others. */
export function objectSchema(
  properties: Readonly<Record<string, ValueSchema>>,
  required: readonly string[] = [],
): ObjectSchema {
  return { type: 'object', properties, ...(required.length > 0 && { required }), additionalProperties: false };
}

function schemaOfMembers(members: readonly Member[]): ObjectSchema {
  const properties = members.map(({ name, type, description, more }) => {
    const shown = description == null ? {} : { description: oneLine(description) };
    return [name, { ...valueSchemaOf(type), ...shown, ...more }] as const;
  });
  const required = members.filter(({ type, hasDefault }) => isNonNullType(type) && !hasDefault);
  return objectSchema(
    Object.fromEntries(properties),
    required.map(({ name }) => name),
  );
}

function valueSchemaOf(type: GraphQLInputType): ValueSchema {
  if (isNonNullType(type)) return valueSchemaOf(type.ofType);
  if (isListType(type)) return { type: 'array', items: valueSchemaOf(type.ofType) };
  if (isEnumType(type)) return { type: 'string', enum: type.getValues().map(({ name }) => name) };
  if (!isInputObjectType(type)) return scalars[type.name] ?? {};
  const fields = Object.values(type.getFields());
  return schemaOfMembers(fields.map((field) => ({ ...field, hasDefault: field.defaultValue !== undefined })));
}

/** The place at which a variable is used first. */
interface Use {
  readonly description: string | null | undefined;
  /** Whether it is the size of a page. */
  readonly isPageSize: boolean;
}

const pageSizes = new Set(['first', 'last']);

/** The places of variables, by the names of these. */
function usesIn(schema: GraphQLSchema, document: DocumentNode): ReadonlyMap<string, Use> {
  const uses = new Map<string, Use>();
  const typeInfo = new TypeInfo(schema);
  let field: string | null = null;
  visit(
    document,
    visitWithTypeInfo(typeInfo, {
      VariableDefinition: () => false,
      ObjectField: { enter: ({ name }) => void (field = name.value), leave: () => void (field = null) },
      Variable({ name }) {
        const parent = getNamedType(typeInfo.getParentInputType());
        const isField = field !== null && isInputObjectType(parent);
        const argument = typeInfo.getArgument();
        const place = isField ? parent.getFields()[field ?? ''] : argument;
        const isPageSize = !isField && pageSizes.has(argument?.name ?? '');
        if (!uses.has(name.value)) uses.set(name.value, { description: place?.description, isPageSize });
      },
    }),
  );
  return uses;
}

/** A description of the schema in one line; empty where there is none. */
export function oneLine(text: string | null | undefined): string {
  return (text ?? '').replaceAll(/\s+/g, ' ').trim();
}

type ResponsePath = readonly (string | number)[];

/** The argument of a tool that an error names, or those that do not fit each other; none where the document gives the value. */
export interface NamedArguments {
  readonly argument?: ArgumentPath;
  readonly arguments?: readonly string[];
}

/** Finds the arguments of a tool by what the errors of its operation name. */
export interface ArgumentNames {
  /** The argument that holds the variables of the operation; empty where they are the arguments. */
  readonly variables: ArgumentPath;
  /** The field is named by its path in the response. */
  readonly find: (path: ResponsePath, argument: ArgumentPath) => NamedArguments;
  /** What the tool says of one of its arguments. */
  readonly hint?: (name: string) => string | undefined;
}

/** Creates the search for the variables of an operation, which are the arguments of its tool. */
export function createArgumentNames(document: DocumentNode, operation: OperationDefinitionNode): ArgumentNames {
  const fragments = fragmentsOf(document);
  return {
    variables: [],
    find(path, argument) {
      const fields = fieldsAt(operation.selectionSet, path, fragments);
      const [found] = fields.flatMap((field) => variableAt(field, argument) ?? []);
      if (found !== undefined) return { argument: found };
      // Such as both ends of a range.
      const within = fields.flatMap((field) => variablesIn(valueAt(field, argument)));
      return within.length === 0 ? {} : { arguments: within };
    },
  };
}

function fieldsAt(root: SelectionSetNode, path: ResponsePath, fragments: Fragments): readonly FieldNode[] {
  let sets: readonly SelectionSetNode[] = [root];
  let fields: readonly FieldNode[] = [];
  for (const key of path) {
    if (typeof key === 'number') continue;
    fields = sets.flatMap((set) => fieldsIn(set, fragments)).filter((field) => responseKey(field) === key);
    sets = fields.flatMap(({ selectionSet }) => selectionSet ?? []);
  }
  return fields;
}

function responseKey({ alias, name }: FieldNode): string {
  return alias?.value ?? name.value;
}

function variableAt(field: FieldNode, path: ArgumentPath): readonly [ArgumentPath] | undefined {
  for (const index of path.keys()) {
    const value = valueAt(field, path.slice(0, index + 1));
    if (value?.kind === Kind.VARIABLE) return [[value.name.value, ...path.slice(index + 1)]];
  }
  return undefined;
}

/** The value that the document gives at an argument; undefined where it gives none of its own. */
function valueAt({ arguments: args = [] }: FieldNode, path: ArgumentPath): ValueNode | undefined {
  let members: readonly (ArgumentNode | ObjectFieldNode)[] = args;
  let value: ValueNode | undefined;
  for (const key of path) {
    value = members.find(({ name }) => name.value === key)?.value;
    members = value?.kind === Kind.OBJECT ? value.fields : [];
  }
  return value;
}

function variablesIn(value: ValueNode | undefined): readonly string[] {
  if (value?.kind === Kind.VARIABLE) return [value.name.value];
  return value?.kind === Kind.OBJECT ? value.fields.flatMap((field) => variablesIn(field.value)) : [];
}
