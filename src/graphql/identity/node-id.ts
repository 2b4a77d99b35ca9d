import { argumentTextBytes } from '../../bounds.ts';
import { badArgument, GatewayError, withoutStacks, type ArgumentPath } from '../../errors.ts';
import { identifierOf } from '../../json.ts';
import type { WantedRow } from '../../lists/look-ups.ts';
import type { EncodedShape } from '../../transcoder/tables.ts';
import type { AnyEntity, Entity } from '../../upstream/endpoint.ts';

/** Characters of a hint in a `nodeId`. A name may be of any length, and the `nodeId` has to stay within the bound of an argument. */
const hintLength = 200;

export interface NodeReference {
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
      violation: {
        coordinate: `${type}.id`,
        kind: value == null ? 'missing' : 'wrong_type',
        place: { holder: row as object, key: list.idName },
      },
    });
  }
  const hint = hintName === null ? null : row[hintName];
  return encode([type, id, typeof hint !== 'string' || hint.length > hintLength ? null : hint]);
}

/** The same for the transcoder. */
export function nodeIdShape({ type, list, hintName }: AnyEntity): EncodedShape {
  const id = { name: list.idName, isRequired: true };
  const parts = hintName === null ? [id] : [id, { name: hintName, isRequired: false }];
  const behind = hintName === null ? ',null]' : ']';
  return { kind: 'encoded', before: `["${type}",`, behind, parts, longest: hintLength };
}

/** The members of a row that its `nodeId` is made of. */
export function encodedNames(entity: AnyEntity): readonly string[] {
  return nodeIdShape(entity).parts.map(({ name }) => name);
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
    return withoutStacks(() => JSON.parse(text) as unknown);
  } catch {
    return null;
  }
}

/** BAD_USER_INPUT for a text that is no nodeId. */
export function badNodeId(argument: ArgumentPath): GatewayError {
  const [name, index] = argument;
  const given = index === undefined ? name : `${name}[${index}]`;
  return badArgument(argument, `${given} is no nodeId of this gateway.`);
}

/** What one request knows of the nodes that it has found. A record does not name its type; the look-up that found it does. */
export class KnownNodes {
  // Made on demand: few requests need it.
  #types: WeakMap<object, string> | undefined;

  /** Notes the type of a record, for a field that may return several types; returns the record. */
  noteType<Record extends object>(record: Record | null, type: string): Record | null {
    if (record !== null) (this.#types ??= new WeakMap()).set(record, type);
    return record;
  }

  /** The type of a record that was noted; null for any other. */
  typeOf(record: object): string | null {
    return this.#types?.get(record) ?? null;
  }
}
