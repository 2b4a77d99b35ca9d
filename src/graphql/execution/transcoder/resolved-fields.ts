import { ipConnection } from '../../../resources/ip-connection.ts';
import { mission } from '../../../resources/mission.ts';
import { webhookDelivery } from '../../../resources/webhook-delivery.ts';
import { absences, computations, kinds, type Entry, type Shape } from './layout.ts';
import { Members, type ComputedMember } from './members.ts';
import type { TableWriter } from './tables.ts';

/** What a field of a record is: a member of it, what is computed of its members, or a text that is always the same. */
export type Member = Entry | ComputedMember | { readonly text: string };

/** What a field is made of. */
export interface ResolvedFieldSource {
  readonly tables: TableWriter;
  readonly exposeSecrets: boolean;
  /** The shape of the object that the field returns. */
  readonly returned: () => Shape;
}

type ToMember = (source: ResolvedFieldSource) => Member;

const entities = { IpConnection: ipConnection, Mission: mission, WebhookDelivery: webhookDelivery };

const tokenName = 'ip_authentication_token';

/** Fields of resolvers of their own that bytes can tell as well, by their coordinates. */
export const resolvedFields: Readonly<Record<string, ToMember>> = {
  'IpConnection.nodeId': (source) => nodeIdOf('IpConnection', source),
  'Mission.nodeId': (source) => nodeIdOf('Mission', source),
  'WebhookDelivery.nodeId': (source) => nodeIdOf('WebhookDelivery', source),
  'IpConnectionOutbound.ipAuthenticationToken': (source) =>
    source.exposeSecrets ? optional(tokenName, source.tables.leaf(kinds.text)) : { text: 'null' },
  'IpConnectionOutbound.ipAuthenticationTokenSet': ({ tables }) => ({
    name: tokenName,
    shape: tables.leaf(kinds.isSet),
    absence: absences.false,
  }),
  'WebhookDelivery.attemptCount': ({ tables }) => optional('attempts', tables.leaf(kinds.count)),
  'WebhookDelivery.newestAttempt': ({ tables, returned }) =>
    optional(
      'attempts',
      tables.newest(returned(), bareShape(tables, [optional('started_at', tables.leaf(kinds.text))])),
    ),
  'ComparativeLine.amount': ({ tables }) => {
    const decimal = tables.leaf(kinds.decimal);
    const month = bareShape(tables, [required('mrc', decimal), optional('otc', decimal)]);
    return {
      kind: computations.sum,
      prefix: '',
      of: [required('new_this_month', month), required('existing_this_month', month)],
    };
  },
};

function nodeIdOf(type: keyof typeof entities, { tables }: ResolvedFieldSource): ComputedMember {
  const text = tables.leaf(kinds.text);
  const id = optional(entities[type].list.idName, text);
  const { hintName } = entities[type];
  return {
    kind: computations.nodeId,
    prefix: `["${type}",`,
    of: hintName === null ? [id] : [id, optional(hintName, text)],
  };
}

function optional(name: string, shape: Shape): Entry {
  return { name, shape, absence: absences.null };
}

function required(name: string, shape: Shape): Entry {
  return { name, shape, absence: absences.refused };
}

/** A record of which nothing but these values is written. */
export function bareShape(tables: TableWriter, entries: readonly Entry[]): Shape {
  const members = new Members();
  members.showBare(entries);
  return tables.object(members.end());
}
