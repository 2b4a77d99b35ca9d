import { badArgument, GatewayError, type ArgumentPath } from '../errors.ts';
import type { Wanted } from '../lists/look-up.ts';
import type { Entity } from '../upstream/operation.ts';
import { ipConnection } from '../upstream/operations/ip-connection.ts';
import { mission } from '../upstream/operations/mission.ts';
import { webhookDelivery } from '../upstream/operations/webhook-delivery.ts';

/** Every kind of object that has a `nodeId`, by the name of its type. */
export const entities = { IpConnection: ipConnection, Mission: mission, WebhookDelivery: webhookDelivery };

// No identifier is that long; a longer text is none of ours.
const longestNodeId = 4096;
// A name may be of any length: a long one is left out, so that the nodeId stays one that `readNodeId` takes.
const longestHint = 200;

/** What a `nodeId` stands for. */
export interface NodeReference {
  readonly entity: Entity<object>;
  readonly wanted: Wanted;
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
  return encode([type, id, hint === null || hint.length > longestHint ? null : hint]);
}

function encode(parts: readonly unknown[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/** Reads a `nodeId` back; throws BAD_USER_INPUT for any other text. */
export function readNodeId(nodeId: string, argument: ArgumentPath): NodeReference {
  const parts = nodeId.length > longestNodeId ? null : parse(Buffer.from(nodeId, 'base64url').toString('utf8'));
  if (!Array.isArray(parts) || parts.length !== 3 || encode(parts) !== nodeId) throw badNodeId(argument);
  const [type, id, hint] = parts as readonly unknown[];
  if (typeof type !== 'string' || typeof id !== 'string' || !(hint === null || typeof hint === 'string'))
    throw badNodeId(argument);
  if (!Object.hasOwn(entities, type)) throw badNodeId(argument);
  const entity = entities[type as keyof typeof entities] as unknown as Entity<object>;
  return { entity, wanted: { id, hint } };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function badNodeId(argument: ArgumentPath): GatewayError {
  return badArgument(argument, `${argument[0]} must be a nodeId as this gateway gave it out.`);
}
