import { badArgument } from '../errors.ts';
import type { Context } from './context.ts';
import { entities } from './node-id.ts';
import { noteType, typeOf } from './runtime-type.ts';

interface EntitiesArguments {
  readonly representations: readonly unknown[];
}

/**
 * `_entities` (Apollo Federation v2, "Subgraph specification"): each reference is resolved for itself, in order, repetitions
 * included; unknown ones are null, failing ones fail alone. All references of a type share one look-up.
 */
export function resolveEntities(_root: unknown, { representations }: EntitiesArguments, context: Context): unknown[] {
  return representations.map(async (representation, index) => resolveEntity(representation, index, context));
}

async function resolveEntity(representation: unknown, index: number, { lookUps }: Context): Promise<object | null> {
  const { __typename: type, id } = (representation ?? {}) as { readonly __typename?: unknown; readonly id?: unknown };
  const path = ['representations', index];
  if (typeof type !== 'string' || !Object.hasOwn(entities, type)) {
    throw badArgument(
      [...path, '__typename'],
      `A reference must be of one of these types: ${Object.keys(entities).join(', ')}.`,
    );
  }
  if (typeof id !== 'string')
    throw badArgument([...path, 'id'], `A reference to ${type} must hold its key, a string "id".`);
  const entity = entities[type as keyof typeof entities];
  const record = await lookUps.find<object>(entity, { id, hint: null });
  return noteType(record, entity.type);
}

/** The resolvers of what federation adds to the schema. */
export function federationResolvers(sdl: string) {
  return {
    Query: { _service: () => ({ sdl }), _entities: resolveEntities },
    _Entity: { __resolveType: typeOf },
  };
}
