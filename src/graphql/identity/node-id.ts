import { argumentTextBytes, hintLength } from '../../bounds.ts';
import { badArgument, GatewayError, withoutStacks, type ArgumentPath } from '../../errors.ts';
import type { WantedRow } from '../../lists/found-row.ts';
import type { Entity } from '../../upstream/endpoint.ts';
import { ipConnection } from '../../upstream/endpoints/ip-connection.ts';
import { mission } from '../../upstream/endpoints/mission.ts';
import { webhookDelivery } from '../../upstream/endpoints/webhook-delivery.ts';

/** Every kind of object that has a `nodeId`, by the name of its type. */
export const entities = { IpConnection: ipConnection, Mission: mission, WebhookDelivery: webhookDelivery };

/** What a `nodeId` stands for. */
export interface NodeReference {
  readonly entity: Entity<object>;
  readonly wanted: WantedRow;
}

/** The `nodeId` of a row: its type, its identifier and its hint in opaque text. Throws where the row has no identifier. */
export function nodeIdOf<Row>({ type, list, hintOf }: Entity<Row>, row: Row): string {
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
  const hint = hintOf(row);
  return encode([type, id, hint === null || hint.length > hintLength ? null : hint]);
}

function encode(parts: readonly unknown[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

type TypeName = keyof typeof entities;

/** With what the nodeIds of a type begin: as much of their base64 as the type's name decides. */
const beginnings = Object.values(entities).map(({ type }) => {
  const text = `["${type}",`;
  return {
    type,
    beginning: Buffer.from(text)
      .toString('base64url')
      .slice(0, Math.floor((text.length * 8) / 6)),
  };
});

/** The type that a `nodeId` names at its beginning; null for a text that cannot be a `nodeId`. It takes no longer for a long text. */
export function typeOfNodeId(nodeId: string): TypeName | null {
  if (nodeId.length > argumentTextBytes) return null;
  return beginnings.find(({ beginning }) => nodeId.startsWith(beginning))?.type ?? null;
}

/** Reads a `nodeId` back; null for any other text. */
export function readNodeId(nodeId: string): NodeReference | null {
  const type = typeOfNodeId(nodeId);
  if (type === null) return null;
  const bytes = Buffer.from(nodeId, 'base64url');
  if (bytes.toString('base64url') !== nodeId) return null;
  const wanted = readPlain(type, bytes) ?? readParts(type, bytes);
  return wanted && { entity: entities[type] as unknown as Entity<object>, wanted };
}

// What JSON has only one way to write, and UTF-8 too: most identifiers. To see that is a fraction of what it takes to parse and
// write them again.
const plain = /^\["(\w+)","([ !#-[\]-~]*)",(?:null|"([ !#-[\]-~]*)")\]$/;

function readPlain(type: TypeName, bytes: Buffer): WantedRow | null {
  const [, name, id, hint = null] = plain.exec(bytes.toString('latin1')) ?? [];
  return name === type && id !== undefined ? { id, hint } : null;
}

function readParts(type: TypeName, bytes: Buffer): WantedRow | null {
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
