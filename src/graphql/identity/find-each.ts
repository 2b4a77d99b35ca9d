import type { GatewayError } from '../../errors.ts';
import type { FoundRows } from '../../lists/request-look-ups.ts';
import type { WantedRow } from '../../lists/found-row.ts';
import type { AnyEntity } from '../../upstream/endpoint.ts';
import type { Context } from '../context.ts';
import type { FieldInfo } from '../execution/field-info.ts';
import { ListFailures } from './list-failures.ts';
import type { NodeReference } from './node-id.ts';
import type { KnownNodes } from './known-nodes.ts';

/** What one list refers to, place by place. */
export interface References {
  readonly length: number;
  /** Null for a place that refers to nothing. */
  readonly read: (index: number) => NodeReference | null;
  /** The error of such a place. */
  readonly faultAt: (index: number) => GatewayError;
}

type FoundByEntity = ReadonlyMap<AnyEntity, FoundRows<object>>;

/**
 * The row of each place, null where there is none, an error where it failed. The list comes in one promise, whatever its
 * length, and at once where nothing can be looked for. Where it is streamed, each type comes when it has been found.
 */
export function findEach(
  references: References,
  { lookUps, knownNodes }: Pick<Context, 'lookUps' | 'knownNodes'>,
  { fieldNodes: [node] }: Pick<FieldInfo, 'fieldNodes'>,
): unknown[] | Promise<unknown[]> {
  if (lookUps.refusal !== null) return refused(references, lookUps.refusal);
  const read = Array.from({ length: references.length }, (_, index) => references.read(index));
  const searches = [...wantedOf(read)].map(([entity, wanted]) => [entity, lookUps.findEach(entity, wanted)] as const);
  if (searches.length === 0) return assembled(references, read, new Map(), knownNodes);
  const isStreamed = searches.length > 1 && node?.directives?.some(({ name }) => name.value === 'stream') === true;
  if (isStreamed && lookUps.takePromises(read.length)) return streamed(references, read, new Map(searches), knownNodes);
  const found = Promise.all(searches.map(async ([entity, search]) => [entity, await search] as const));
  return found.then((entries) => assembled(references, read, new Map(entries), knownNodes));
}

/** Every place fails; those that no response reports are not even read. */
function refused(references: References, refusal: GatewayError): unknown[] {
  const { length } = references;
  const items = Array<unknown>(length).fill(null);
  const failures = new ListFailures(items);
  let index = 0;
  for (; index < length && !failures.isFull; index++)
    failures.note(index, references.read(index) === null ? references.faultAt(index) : refusal);
  if (index < length) failures.count(index, length - index);
  return failures.end();
}

function wantedOf(read: readonly (NodeReference | null)[]): ReadonlyMap<AnyEntity, WantedRow[]> {
  const groups = new Map<AnyEntity, WantedRow[]>();
  for (const reference of read) {
    if (reference === null) continue;
    const group = groups.get(reference.entity);
    if (group === undefined) groups.set(reference.entity, [reference.wanted]);
    else group.push(reference.wanted);
  }
  return groups;
}

function assembled(
  references: References,
  read: readonly (NodeReference | null)[],
  found: FoundByEntity,
  knownNodes: KnownNodes,
): unknown[] {
  const items = Array<unknown>(read.length).fill(null);
  const failures = new ListFailures(items);
  for (const [index, reference] of read.entries()) {
    if (reference === null) {
      if (failures.isFull) failures.count(index, 1);
      else failures.note(index, references.faultAt(index));
      continue;
    }
    const { entity, wanted } = reference;
    const row = found.get(entity)?.get(wanted.id) ?? null;
    if (row instanceof Error) failures.note(index, row);
    else items[index] = knownNodes.noteType(row, entity.type);
  }
  return failures.end();
}

function streamed(
  references: References,
  read: readonly (NodeReference | null)[],
  searches: ReadonlyMap<AnyEntity, Promise<FoundRows<object>>>,
  knownNodes: KnownNodes,
): unknown[] {
  return read.map((reference, index) => {
    if (reference === null) return references.faultAt(index);
    const { entity, wanted } = reference;
    return searches.get(entity)?.then((found) => {
      const row = found.get(wanted.id) ?? null;
      if (row instanceof Error) throw row;
      return knownNodes.noteType(row, entity.type);
    });
  });
}
