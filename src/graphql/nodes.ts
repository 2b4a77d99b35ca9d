import { argumentTextBytes, nodesPerField, representationsPerField } from '../bounds.ts';
import { badArgument, GatewayError, type ArgumentPath } from '../errors.ts';
import { identifierOf } from '../json.ts';
import type { FoundRows, WantedRow } from '../lists/look-ups.ts';
import type { AnyEntity, Entity } from '../upstream/endpoint.ts';
import type { Context } from './context.ts';
import { isTooLong, shortEnough } from './schema/arguments.ts';

/** Characters of a hint in a `nodeId`. A name may be of any length, and the `nodeId` has to stay within the bound of an argument. */
const hintLength = 200;

interface NodeReference {
  readonly entity: AnyEntity;
  readonly wanted: WantedRow;
}

/** The `nodeId` of a row: its type, its identifier and its hint in opaque text. Throws where the row has no identifier. */
export function nodeIdOf<Row>({ type, list, hintName }: Entity<Row>, row: Row): string {
  const value = row[list.idName];
  const id = identifierOf(value);
  if (id === undefined) {
    throw new GatewayError('UPSTREAM_BAD_RESPONSE', {
      message: `The upstream sent a row without ${list.idName}, so it has no nodeId.`,
      violation: { coordinate: `${type}.id`, kind: value == null ? 'missing' : 'wrong_type' },
    });
  }
  const hint = hintName === null ? null : row[hintName];
  return encode([type, id, typeof hint !== 'string' || hint.length > hintLength ? null : hint]);
}

/** The members of a row that its `nodeId` is made of. */
export function membersInNodeId({ list, hintName }: AnyEntity): Readonly<Record<string, true>> {
  return { [list.idName]: true, ...(hintName !== null && { [hintName]: true as const }) };
}

function encode(parts: readonly unknown[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/** Reads the `nodeId`s of these entities. */
export class NodeIds {
  readonly #entities: ReadonlyMap<string, AnyEntity>;

  constructor(entities: readonly AnyEntity[]) {
    this.#entities = new Map(entities.map((entity) => [entity.type, entity]));
  }

  get types(): readonly string[] {
    return [...this.#entities.keys()];
  }

  entityOf(type: unknown): AnyEntity | undefined {
    return typeof type === 'string' ? this.#entities.get(type) : undefined;
  }

  /** The entity that a `nodeId` names at its beginning; null for a text that cannot be a `nodeId`. It takes no longer for a long text. */
  entityNamedBy(nodeId: string): AnyEntity | null {
    if (nodeId.length > argumentTextBytes) return null;
    const [, type] = /^\["(\w+)",/.exec(Buffer.from(nodeId.slice(0, typeCharacters), 'base64url').toString()) ?? [];
    return this.entityOf(type) ?? null;
  }

  /** Reads a `nodeId` back; null for any other text. */
  read(nodeId: string): NodeReference | null {
    if (nodeId.length > argumentTextBytes) return null;
    const parts = parse(Buffer.from(nodeId, 'base64url').toString());
    if (!Array.isArray(parts) || parts.length !== 3 || encode(parts) !== nodeId) return null;
    const [type, id, hint] = parts as readonly unknown[];
    const entity = this.entityOf(type);
    if (entity === undefined || typeof id !== 'string' || !(hint === null || typeof hint === 'string')) return null;
    return { entity, wanted: { id, hint } };
  }
}

// So many characters of a `nodeId` hold its type: the longest name has some twenty.
const typeCharacters = 64;

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** BAD_USER_INPUT for a text that is no nodeId. */
function badNodeId(argument: ArgumentPath): GatewayError {
  const [name, index] = argument;
  const given = index === undefined ? name : `${name}[${index}]`;
  return badArgument(argument, `${given} is no nodeId of this gateway.`);
}

/** The types of the records that look-ups have found: a record does not name its own. */
const typeOfFound = new WeakMap<object, string>();

function noteType(row: object | null, { type }: AnyEntity): object | null {
  if (row !== null) typeOfFound.set(row, type);
  return row;
}

/** The resolvers of what finds rows of any type: Relay's `node` and `nodes`, and what federation adds to the schema, with its SDL. */
export function createNodeFields(nodeIds: NodeIds, sdl: string) {
  const typeOf = { __resolveType: (record: object) => typeOfFound.get(record) };

  async function node(_root: unknown, { nodeId }: { readonly nodeId: string }, { lookUps }: Context) {
    const reference = nodeIds.read(nodeId);
    if (reference === null) throw badNodeId(['nodeId']);
    return noteType((await lookUps.find(reference.entity, reference.wanted)) as object | null, reference.entity);
  }

  /** Each identifier stands for itself: a bad one is an error in its own place. */
  function nodes(_root: unknown, args: { readonly nodeIds: readonly string[] }, context: Context) {
    checkCount('nodeIds', args.nodeIds, nodesPerField);
    return findEach(args.nodeIds, (id, index) => nodeIds.read(id) ?? badNodeId(['nodeIds', index]), context);
  }

  /**
   * `_entities` (Apollo Federation v2, "Subgraph specification"): each reference is resolved for itself, in order, repetitions
   * included; unknown ones are null, failing ones fail alone. All references of a type share one look-up.
   */
  function entities(_root: unknown, args: { readonly representations: readonly unknown[] }, context: Context) {
    checkCount('representations', args.representations, representationsPerField);
    const read = (given: unknown, index: number) => readReference(given, ['representations', index], nodeIds);
    return findEach(args.representations, read, context);
  }

  return {
    Query: { node, nodes, _service: () => ({ sdl }), _entities: entities },
    Node: typeOf,
    _Entity: typeOf,
  };
}

function checkCount(name: string, { length }: readonly unknown[], most: number): void {
  if (length > most) throw badArgument([name], `${name} may name ${most} objects at most; it names ${length}.`);
}

/** What a reference stands for, or why it cannot be used. */
function readReference(given: unknown, path: ArgumentPath, nodeIds: NodeIds): NodeReference | GatewayError {
  const { __typename: type, id } = (given ?? {}) as { readonly __typename?: unknown; readonly id?: unknown };
  const entity = nodeIds.entityOf(type);
  if (entity === undefined) {
    const types = nodeIds.types.join(', ');
    return badArgument([...path, '__typename'], `A reference must be of one of these types: ${types}.`);
  }
  if (typeof id !== 'string')
    return badArgument([...path, 'id'], `A reference to ${entity.type} must hold its key, a string "id".`);
  if (isTooLong(id)) return badArgument([...path, 'id'], `The "id" of a reference must be ${shortEnough}.`);
  return { entity, wanted: { id, hint: null } };
}

/** The row of each place, null where there is none, an error where it failed. The list comes in one promise, whatever its length. */
async function findEach<Given>(
  given: readonly Given[],
  read: (each: Given, index: number) => NodeReference | GatewayError,
  { loaders: { refusal }, lookUps }: Context,
): Promise<readonly unknown[]> {
  const references = given.map(read);
  if (refusal !== null) return references.map((each) => (each instanceof GatewayError ? each : refusal));
  const wanted = references.flatMap((each) => (each instanceof GatewayError ? [] : each));
  const searches = [...Map.groupBy(wanted, ({ entity }) => entity)].map(async ([entity, group]) => {
    const rows: FoundRows<object> = await lookUps.findEach(
      entity,
      group.map((reference) => reference.wanted),
    );
    return [entity, rows] as const;
  });
  const found = new Map(await Promise.all(searches));
  const rowOf = ({ entity, wanted: { id } }: NodeReference): object | null => {
    const row = found.get(entity)?.get(id) ?? null;
    return row instanceof Error ? row : noteType(row, entity);
  };
  return references.map((each) => (each instanceof GatewayError ? each : rowOf(each)));
}
