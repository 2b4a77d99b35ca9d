import type { FieldNode, GraphQLField, GraphQLObjectType } from 'graphql';
import { argumentReader, type ReadArguments } from './argument-reader.ts';
import { countValues, fixedArguments } from './fixed-arguments.ts';
import { Uncovered } from './selection.ts';

/** A field whose resolver is called. */
export interface ResolvedField {
  readonly definition: GraphQLField<unknown, unknown>;
  /** In the schema, e.g. `Query.missions`. */
  readonly coordinate: string;
  readonly nodes: readonly [FieldNode, ...FieldNode[]];
  /** Where no variable decides them. */
  readonly args: Readonly<Record<string, unknown>> | null;
  readonly readArguments: ReadArguments;
}

const bytesPerField = 512;
const bytesPerNode = 8;
// The text of a value is the document's.
const bytesPerValue = 64;

/** The field that these nodes select of a type. Throws `Uncovered` where the type has none of that name. */
export function resolvedField(type: GraphQLObjectType, nodes: ResolvedField['nodes']): ResolvedField {
  const definition = type.getFields()[nodes[0].name.value];
  if (definition === undefined) throw new Uncovered();
  const args = fixedArguments(definition, nodes[0]);
  const readArguments = args === null ? argumentReader(definition, nodes[0]) : () => args;
  return { definition, coordinate: `${type.name}.${definition.name}`, nodes, args, readArguments };
}

/** What fields take of the memory, in bytes, roughly. */
export function weightOfFields(fields: readonly ResolvedField[]): number {
  let weight = 0;
  for (const { nodes, args } of fields)
    weight += bytesPerField + nodes.length * bytesPerNode + (args === null ? 0 : countValues(args) * bytesPerValue);
  return weight;
}
