import { representationsPerField } from '../../bounds.ts';
import { badArgument, type ArgumentPath, type GatewayError } from '../../errors.ts';
import type { Entity } from '../../upstream/endpoint.ts';
import { isTooLong, shortEnough } from '../schema/argument-length.ts';
import type { Context } from '../context.ts';
import type { FieldInfo } from '../execution/field-info.ts';
import { findEach } from './find-each.ts';
import { entities, type NodeReference } from './node-id.ts';

interface EntitiesArguments {
  readonly representations: readonly unknown[];
}

/**
 * `_entities` (Apollo Federation v2, "Subgraph specification"): each reference is resolved for itself, in order, repetitions
 * included; unknown ones are null, failing ones fail alone. All references of a type share one look-up.
 */
export function resolveEntities(
  _root: unknown,
  { representations }: EntitiesArguments,
  context: Context,
  info: FieldInfo,
): unknown[] | Promise<unknown[]> {
  const { length } = representations;
  if (length > representationsPerField)
    throw badArgument(
      ['representations'],
      `representations may name ${representationsPerField} objects at most; it names ${length}.`,
    );
  return findEach(
    {
      length,
      read: (index) => readReference(representations[index]),
      faultAt: (index) => faultOf(representations[index], ['representations', index]),
    },
    context,
    info,
  );
}

interface Members {
  readonly __typename?: unknown;
  readonly id?: unknown;
}

type TypeName = keyof typeof entities;

/** What a reference stands for; null for one that cannot be used. */
function readReference(representation: unknown): NodeReference | null {
  const { __typename: type, id } = (representation ?? {}) as Members;
  if (typeof type !== 'string' || !Object.hasOwn(entities, type) || typeof id !== 'string' || isTooLong(id))
    return null;
  return { entity: entities[type as TypeName] as unknown as Entity<object>, wanted: { id, hint: null } };
}

/** Why such a reference cannot be used. */
function faultOf(representation: unknown, path: ArgumentPath): GatewayError {
  const { __typename: type, id } = (representation ?? {}) as Members;
  if (typeof type !== 'string' || !Object.hasOwn(entities, type)) {
    return badArgument(
      [...path, '__typename'],
      `A reference must be of one of these types: ${Object.keys(entities).join(', ')}.`,
    );
  }
  if (typeof id !== 'string')
    return badArgument([...path, 'id'], `A reference to ${type} must hold its key, a string "id".`);
  return badArgument([...path, 'id'], `The "id" of a reference must be ${shortEnough}.`);
}

/** The resolvers of what federation adds to the schema. */
export function federationResolvers(sdl: string) {
  return {
    Query: { _service: () => ({ sdl }), _entities: resolveEntities },
    _Entity: { __resolveType: (record: object, { knownNodes }: Context) => knownNodes.typeOf(record) },
  };
}
