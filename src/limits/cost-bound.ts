import {
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  typeFromAST,
  visit,
  type DocumentNode,
  type GraphQLInputType,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { largestPageSize } from '../bounds.ts';
import type { Values } from '../graphql/document.ts';
import type { EstimateCost } from './cost.ts';

/** What finds the bound of an operation. */
export interface BoundOptions {
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
 * The most calls and objects that an operation may cost, whatever its variables are; null where it cannot be estimated, and where its
 * variables have too many combinations. Its document has no conditions.
 */
export function boundOf(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  options: BoundOptions,
): number | null {
  const heaviest = new HeaviestValues(options);
  let combinations: Values[] = [{}];
  for (const { variable, type } of operation.variableDefinitions ?? []) {
    const known = typeFromAST(options.schema, type) as GraphQLInputType | undefined;
    if (known === undefined) return null;
    const values = [...heaviest.of(known), ...(isNonNullType(known) ? [] : [null])];
    if (combinations.length * values.length > mostCombinations) return null;
    combinations = combinations.flatMap((given) => values.map((value) => ({ ...given, [variable.name.value]: value })));
  }
  const costs = combinations.flatMap((values) => options.estimateCost(document, operation, values) ?? []);
  return costs.length === 0 ? null : Math.max(...costs.map(({ calls, objects }) => calls + objects));
}

/** Values that make every field as dear as it can be: pages of the largest size, all filters, ranges of centuries. */
class HeaviestValues {
  readonly #nodeIds: readonly string[];
  #made = 0;

  constructor({ nodeIds }: BoundOptions) {
    this.#nodeIds = nodeIds;
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
