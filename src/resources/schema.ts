import { readFileSync } from 'node:fs';
import { parse, type GraphQLSchema } from 'graphql';
import { resources } from '../generated/resources.ts';
import type { Computed } from '../generated/records.ts';
import type { Resolvers } from '../generated/schema.ts';
import { connectionFields, loadConnection } from '../graphql/connection-fields.ts';
import type { Context, FieldInfo } from '../graphql/context.ts';
import { noteByteSources } from '../graphql/execution/bytes/byte-plan.ts';
import { createNodeFields, nodeIdOf, NodeIds } from '../graphql/nodes.ts';
import { createSchema as createExecutableSchema, type FieldResolvers } from '../graphql/schema/schema.ts';
import { scalars } from '../graphql/schema/scalars.ts';
import type { WireForms } from '../graphql/schema/wire-fields.ts';
import { entityCosts, nodeCosts, setCosts } from '../limits/field-cost.ts';
import type { AnyEntity } from '../upstream/endpoint.ts';
import type { Resource } from './resource.ts';

type Types = Required<Resolvers>;

/** The fields that their records lack. One of them without a resolver is a compile error below, and not a null in production. */
type Missing = { [Type in keyof Computed]: Pick<Required<Types[Type]>, Computed[Type] & keyof Types[Type]> };

type Intersection<Union> = (Union extends unknown ? (each: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;

const declared: readonly Resource[] = resources;

/** Every kind of object that has a `nodeId`. */
export const nodeIds = new NodeIds(declared.flatMap(({ entity }) => entity ?? []));

const fields = merged(declared.map((each) => each.fields as FieldResolvers)) as Intersection<
  (typeof resources)[number]['fields']
> satisfies Missing;

const forms: WireForms = {
  forms: Object.assign({}, ...declared.map((each) => each.forms)) as NonNullable<WireForms['forms']>,
  unions: Object.assign({}, ...declared.map((each) => each.unions)) as NonNullable<WireForms['unions']>,
  leaves: Object.assign({}, ...declared.map((each) => each.leaves)) as NonNullable<WireForms['leaves']>,
  bare: Object.assign({}, ...declared.map((each) => each.bare)) as NonNullable<WireForms['bare']>,
};

/** What codegen makes of `schema/`. */
function readSdl(name: 'executable' | 'subgraph'): string {
  return readFileSync(new URL(`../generated/${name}.graphql`, import.meta.url), 'utf8');
}

/** The executable schema of all resources, each of whose fields knows its cost. */
export function createSchema(): GraphQLSchema {
  const typeDefs = parse(readSdl('executable'), { noLocation: true });
  const entities = declared.flatMap(({ entity }) => entity ?? []);
  const derived: readonly FieldResolvers[] = [
    scalars,
    connectionFields(typeDefs),
    createNodeFields(nodeIds, readSdl('subgraph')),
    ...entities.map(entityFields),
  ];
  const schema = createExecutableSchema(typeDefs, merged([...derived, fields]), forms);
  noteByteSources(
    schema,
    entities,
    declared.flatMap(({ records }) => records ?? []),
    Object.assign({}, ...declared.map(({ needs }) => needs ?? {})),
  );
  const costs = declared.map((resource) => resource.costs ?? {});
  setCosts(schema, Object.assign({}, nodeCosts(nodeIds), ...entities.map(entityCosts), ...costs));
  return schema;
}

/** What follows from an entity: its list, the look-up of one row, and the `nodeId` of each. */
function entityFields(entity: AnyEntity): FieldResolvers {
  const { type, list, retrieve } = entity;
  const nameOf = (coordinate: string): string => coordinate.slice('Query.'.length);
  return {
    Query: {
      [nameOf(list.coordinate)]: (_root: unknown, args: object, context: Context, info: FieldInfo) =>
        loadConnection(list, args, context, info),
      [nameOf(retrieve.coordinate)]: (_root: unknown, { id }: { readonly id: string }, { lookUps }: Context) =>
        lookUps.find(entity, { id, hint: null }),
    },
    [type]: { nodeId: (record: object) => nodeIdOf(entity, record) },
  };
}

/** All resolvers together; of two for one field, the later counts. */
function merged(all: readonly FieldResolvers[]): FieldResolvers {
  const types: Record<string, object> = {};
  for (const [type, ofType] of all.flatMap((each) => Object.entries(each)))
    types[type] = type in types ? { ...types[type], ...ofType } : ofType;
  return types;
}
