import { argumentTextBytes, hintLength } from '../../bounds.ts';
import { badArgument, GatewayError, withoutStacks, type ArgumentPath } from '../../errors.ts';
import type { WantedRow } from '../../lists/found-row.ts';
import type { AnyEntity, Entity } from '../../upstream/endpoint.ts';

/** What a `nodeId` stands for. */
export interface NodeReference {
  readonly entity: AnyEntity;
  readonly wanted: WantedRow;
}

/** The `nodeId` of a row: its type, its identifier and its hint in opaque text. Throws where the row has no identifier. */
export function nodeIdOf<Row>({ type, list, hintName }: Entity<Row>, row: Row): string {
  const id = row[list.idName];
  if (typeof id !== 'string') {
    throw new GatewayError('UPSTREAM_BAD_RESPONSE', {
      message: `The upstream sent a row without ${list.idName}, so it has no nodeId.`,
      violation: {
        coordinate: `${type}.id`,
        kind: id == null ? 'missing' : 'wrong_type',
        place: { holder: row as object, key: list.idName },
      },
    });
  }
  const hint = hintName === null ? null : row[hintName];
  return encode([type, id, typeof hint !== 'string' || hint.length > hintLength ? null : hint]);
}

function encode(parts: readonly unknown[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

// What JSON has only one way to write, and UTF-8 too: most identifiers. To see that is a fraction of what it takes to parse and
// write them again.
const plain = /^\["(\w+)","([ !#-[\]-~]*)",(?:null|"([ !#-[\]-~]*)")\]$/;

/** Reads the `nodeId`s of these entities. */
export class NodeIds {
  readonly #entities: ReadonlyMap<string, AnyEntity>;
  /** With what the nodeIds of a type begin: as much of their base64 as the type's name decides. */
  readonly #beginnings: readonly { readonly entity: AnyEntity; readonly beginning: string }[];

  constructor(entities: readonly AnyEntity[]) {
    this.#entities = new Map(entities.map((entity) => [entity.type, entity]));
    this.#beginnings = entities.map((entity) => {
      const text = `["${entity.type}",`;
      const whole = Buffer.from(text).toString('base64url');
      return { entity, beginning: whole.slice(0, Math.floor((text.length * 8) / 6)) };
    });
  }

  /** The names of the types. */
  get types(): readonly string[] {
    return [...this.#entities.keys()];
  }

  /** The entity of a type; undefined for any other. */
  entityOf(type: unknown): AnyEntity | undefined {
    return typeof type === 'string' ? this.#entities.get(type) : undefined;
  }

  /** The entity that a `nodeId` names at its beginning; null for a text that cannot be a `nodeId`. It takes no longer for a long text. */
  entityNamedBy(nodeId: string): AnyEntity | null {
    if (nodeId.length > argumentTextBytes) return null;
    return this.#beginnings.find(({ beginning }) => nodeId.startsWith(beginning))?.entity ?? null;
  }

  /** Reads a `nodeId` back; null for any other text. */
  read(nodeId: string): NodeReference | null {
    const entity = this.entityNamedBy(nodeId);
    if (entity === null) return null;
    const bytes = Buffer.from(nodeId, 'base64url');
    if (bytes.toString('base64url') !== nodeId) return null;
    const wanted = readPlain(entity.type, bytes) ?? readParts(entity.type, bytes);
    return wanted && { entity, wanted };
  }
}

function readPlain(type: string, bytes: Buffer): WantedRow | null {
  const [, name, id, hint = null] = plain.exec(bytes.toString('latin1')) ?? [];
  return name === type && id !== undefined ? { id, hint } : null;
}

function readParts(type: string, bytes: Buffer): WantedRow | null {
  const parts = parse(bytes.toString('utf8'));
  if (!Array.isArray(parts) || parts.length !== 3 || !bytes.equals(Buffer.from(JSON.stringify(parts)))) return null;
  const [name, id, hint] = parts as readonly unknown[];
  if (name !== type || typeof id !== 'string' || !(hint === null || typeof hint === 'string')) return null;
  return { id, hint };
}

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
