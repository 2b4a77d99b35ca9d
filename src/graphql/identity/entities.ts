import { representationsPerField } from '../../bounds.ts';
import { badArgument, type GatewayError } from '../../errors.ts';
import type { LookUps } from '../../lists/look-ups.ts';
import type { Entity } from '../../upstream/endpoint.ts';
import { isTooLong, shortEnough } from '../schema/argument-length.ts';
import type { Context } from '../context.ts';
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
  if (representations.length > representationsPerField)
    throw badArgument(
      ['representations'],
      `representations may name ${representationsPerField} objects at most; it names ${representations.length}.`,
    );
  return representations.map((representation, index) => resolveEntity(representation, index, context));
}

/** An error stands in its place in the list. */
function resolveEntity(
  representation: unknown,
  index: number,
  { lookUps }: Context,
): Promise<object | null> | GatewayError {
  const { __typename: type, id } = (representation ?? {}) as { readonly __typename?: unknown; readonly id?: unknown };
  const path = ['representations', index];
  if (typeof type !== 'string' || !Object.hasOwn(entities, type)) {
    return badArgument(
      [...path, '__typename'],
      `A reference must be of one of these types: ${Object.keys(entities).join(', ')}.`,
    );
  }
  if (typeof id !== 'string')
    return badArgument([...path, 'id'], `A reference to ${type} must hold its key, a string "id".`);
  if (isTooLong(id)) return badArgument([...path, 'id'], `The "id" of a reference must be ${shortEnough}.`);
  return findEntity(entities[type as keyof typeof entities], id, lookUps);
}

async function findEntity<Row extends object>(
  entity: Entity<Row>,
  id: string,
  lookUps: LookUps,
): Promise<object | null> {
  return noteType(await lookUps.find(entity, { id, hint: null }), entity.type);
}

/** The resolvers of what federation adds to the schema. */
export function federationResolvers(sdl: string) {
  return {
    Query: { _service: () => ({ sdl }), _entities: resolveEntities },
    _Entity: { __resolveType: typeOf },
  };
}
