import { readFileSync } from 'node:fs';
import { GraphQLDeferDirective } from '@graphql-tools/utils';
import {
  buildASTSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  Kind,
  parse,
  TypeInfo,
  visit,
  visitWithTypeInfo,
  type ASTNode,
  type DocumentNode,
  GraphQLSchema,
  type OperationDefinitionNode,
  getNullableType,
  isListType,
  isNonNullType,
  typeFromAST,
  type GraphQLInputType,
} from 'graphql';
import { readConfig, type Environment } from './config.ts';
import { nodeIdOf } from './graphql/nodes.ts';
import { attempt, readOperationTexts, shownId, type OperationText } from './http/documents.ts';
import { createCostEstimate, type EstimateCost } from './limits/cost.ts';
import { searchOptionsOf } from './limits/field-cost.ts';
import { DocumentReader } from './limits/document-reader.ts';
import { createSchema, nodeIds } from './resources/schema.ts';
import { largestPageSize } from './bounds.ts';
import type { Values } from './graphql/document.ts';

/** What is checked. */
export interface CheckOptions {
  /** Folders or manifests as PERSISTED_OPERATIONS takes them, each with the name of its client before it, if any: `web=web.json`. */
  readonly operations: readonly string[];
  /** A file with the next schema; null for that of this package. */
  readonly schema: string | null;
}

/** What `switchboard check` prints, and whether all operations would be served. */
export interface CheckResult {
  readonly lines: readonly string[];
  readonly isSound: boolean;
}

/** Checks operations against the next schema and the limits of the environment. Throws an error of one line where it cannot read them. */
export function check({ operations, schema: file }: CheckOptions, env: Environment): CheckResult {
  const config = readConfig(env);
  const paths = operations.length > 0 ? operations : [config.persistedOperations ?? ''];
  if (paths.includes(''))
    throw new Error('There are no operations to check: give --operations or PERSISTED_OPERATIONS.');
  const schema = createSchema();
  const parts = {
    schema,
    reader: new DocumentReader(schema, config),
    next: new DocumentReader(file === null ? schema : readSchema(file), config, config.introspection),
    estimateCost: createCostEstimate(schema, searchOptionsOf(config)),
    nodeIds: nodeIds.types.map((type) => nodeIdOf(...exampleOf(type))),
  };
  const findings = paths.flatMap((path) => {
    const [, client = '', place = ''] = /^(?:([\w.-]+)=)?(.+)$/.exec(path) ?? [];
    return [...readOperationTexts(place)].flatMap((text) => findingsIn(text, client, parts));
  });
  const { limitCost } = config;
  const isDear = ({ bound }: Finding): boolean => bound !== null && bound > limitCost;
  const lines = findings.flatMap((finding) => {
    const { shown, faults, bound } = finding;
    const cost = bound === null ? 'bound unknown' : `at most ${bound} of ${limitCost} calls and objects`;
    const first = `${shown}: ${isDear(finding) ? 'may cost too much, ' : ''}${cost}`;
    return [first, ...faults.map((fault) => `  would break: ${fault}`)];
  });
  const broken = findings.filter(({ faults }) => faults.length > 0).length;
  const dear = findings.filter(isDear).length;
  const last = `${findings.length} operations: ${broken} would break, ${dear} may cost too much`;
  return { lines: [...lines, last], isSound: broken + dear === 0 };
}

function exampleOf(type: string) {
  const entity = nodeIds.entityOf(type);
  if (entity === undefined) throw new Error(`${type} is no entity.`);
  return [entity, { [entity.list.idName]: 'an-id' }] as const;
}

/** Reads a schema from a file of SDL, that of a client or of a supergraph. */
function readSchema(file: string): GraphQLSchema {
  return attempt('The schema cannot be read', () => {
    const schema = buildASTSchema(parse(readFileSync(file, 'utf8')), { assumeValidSDL: true });
    if (schema.getDirective('defer') != null) return schema;
    // A supergraph's router brings it.
    return new GraphQLSchema({ ...schema.toConfig(), directives: [...schema.getDirectives(), GraphQLDeferDirective] });
  });
}

interface CheckParts extends BoundOptions {
  readonly reader: DocumentReader;
  /** That of the next schema. */
  readonly next: DocumentReader;
}

/** What is found of one operation. */
interface Finding {
  /** The operation as it is named to people. */
  readonly shown: string;
  readonly faults: readonly string[];
  /** What it may cost; null where that is not known. */
  readonly bound: number | null;
}

/** Checks one text, with all operations that it holds. */
function findingsIn({ id, text }: OperationText, client: string, parts: CheckParts): readonly Finding[] {
  const shown = [client, shownId(id)].filter(Boolean).join(' ');
  let document: DocumentNode;
  try {
    document = parts.reader.read(text);
  } catch (error) {
    return [{ shown, faults: [(error as Error).message], bound: null }];
  }
  const faults = faultsOf(document, parts.next);
  // Only this package's own schema tells what fields cost.
  const isKnown = parts.reader.errorsOf(document).length === 0;
  const unconditional = withoutConditions(document);
  const operations = unconditional.definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  if (operations.length === 0) return [{ shown, faults, bound: null }];
  return operations.map((definition) => {
    const name = definition.name?.value ?? id;
    const bound = isKnown ? boundOf(unconditional, definition, parts) : null;
    return { shown: name === id ? shown : `${shown} (${shownId(name)})`, faults, bound };
  });
}

/** What is wrong with a document, each fault with the coordinate of the schema where it is known. */
function faultsOf(document: DocumentNode, next: DocumentReader): readonly string[] {
  const errors = next.errorsOf(document);
  if (errors.length === 0) return [];
  const coordinates = coordinatesIn(document, next.schema);
  return errors.map(({ message, nodes = [] }) => {
    const coordinate = nodes.map((node) => coordinates.get(node)).find((known) => known !== undefined);
    return coordinate === undefined ? message : `${coordinate}: ${message}`;
  });
}

/** The coordinates of a schema that the nodes of a document stand for, or stand below, even where the schema lacks them. */
function coordinatesIn(document: DocumentNode, schema: GraphQLSchema): ReadonlyMap<ASTNode, string> {
  const coordinates = new Map<ASTNode, string>();
  const typeInfo = new TypeInfo(schema);
  let field = '';

  function own(node: ASTNode): string | undefined {
    const parent = typeInfo.getParentType()?.name;
    if (node.kind === Kind.FIELD && parent !== undefined) return (field = `${parent}.${node.name.value}`);
    if (node.kind === Kind.ARGUMENT && typeInfo.getDirective() == null) return `${field}(${node.name.value}:)`;
    if (node.kind === Kind.NAMED_TYPE) return node.name.value;
    const input = getNamedType(typeInfo.getParentInputType());
    if (node.kind === Kind.OBJECT_FIELD && isInputObjectType(input)) return `${input.name}.${node.name.value}`;
    const type = getNamedType(typeInfo.getInputType());
    if (node.kind === Kind.ENUM && isEnumType(type)) return `${type.name}.${node.value}`;
    return undefined;
  }

  const visitor = visitWithTypeInfo(typeInfo, {
    enter(node, _key, parent, _path, ancestors) {
      const above = [...ancestors, parent].findLast((each) => !Array.isArray(each)) as ASTNode | undefined;
      const coordinate = own(node) ?? (above && coordinates.get(above));
      if (coordinate !== undefined) coordinates.set(node, coordinate);
    },
  });
  visit(document, visitor);
  return coordinates;
}

/** What finds the bound of an operation. */
interface BoundOptions {
  readonly schema: GraphQLSchema;
  readonly estimateCost: EstimateCost;
  /** A `nodeId` of each type: any other text costs nothing. */
  readonly nodeIds: readonly string[];
}

/** The same document without directives: with nothing that leaves selections out. */
export function withoutConditions(document: DocumentNode): DocumentNode {
  return visit(document, { Directive: () => null });
}

// Each is estimated: a variable that is left out doubles them.
const mostCombinations = 4_096;

/**
 * The most calls and objects that an operation may cost, whatever its variables are; null where they have too many combinations. Its
 * document is valid, and has no conditions.
 */
export function boundOf(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  options: BoundOptions,
): number | null {
  const heaviest = new HeaviestValues(options.nodeIds);
  let combinations: Values[] = [{}];
  for (const { variable, type } of operation.variableDefinitions ?? []) {
    const known = typeFromAST(options.schema, type) as GraphQLInputType | undefined;
    if (known === undefined) return null;
    const values = [...heaviest.of(known), ...(isNonNullType(known) ? [] : [null])];
    if (combinations.length * values.length > mostCombinations) return null;
    combinations = combinations.flatMap((given) => values.map((value) => ({ ...given, [variable.name.value]: value })));
  }
  const costs = combinations.map((values) => options.estimateCost(document, operation, values));
  return Math.max(...costs.map(({ calls, objects }) => calls + objects));
}

/** Values that make every field as dear as it can be: pages of the largest size, all filters, ranges of centuries. */
class HeaviestValues {
  readonly #nodeIds: readonly string[];
  #made = 0;

  constructor(ids: readonly string[]) {
    this.#nodeIds = ids;
  }

  /** Of these, nobody knows which one is the heaviest. */
  of(given: GraphQLInputType): readonly unknown[] {
    const type = getNullableType(given);
    if (isListType(type)) return [Array.from({ length: largestPageSize }, (_, at) => this.#one(type.ofType, at))];
    // Where enums decide about a cost, the finest comes first.
    if (isEnumType(type)) return [type.getValues()[0]?.value];
    if (!isInputObjectType(type)) return this.#scalars(type.name);
    return [
      Object.fromEntries(Object.values(type.getFields()).map((field, at) => [field.name, this.#one(field.type, at)])),
    ];
  }

  #one(type: GraphQLInputType, at: number): unknown {
    const values = this.of(type);
    return values[at % values.length];
  }

  #scalars(name: string): readonly unknown[] {
    if (name === 'Int' || name === 'Float') return [largestPageSize];
    if (name === 'ID') return this.#nodeIds;
    // The earlier bound of a range stands before the later one.
    if (name === 'DateTime') return ['1500-01-01T00:00:00Z', '2500-01-01T00:00:00Z'];
    // No two are the same: a report that is asked for twice costs once.
    return [name === 'Date' ? `${1500 + ++this.#made}-01-01` : `text ${++this.#made}`];
  }
}
