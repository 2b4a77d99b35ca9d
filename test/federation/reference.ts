import type { Gateway, QueryOptions } from '../support/gateway.ts';

/** A router's query to a subgraph: the entities of references, here of every type. */
const entitiesQuery = /* GraphQL */ `
  query ($references: [_Any!]!) {
    _entities(representations: $references) {
      __typename
      ... on IpConnection {
        id
      }
      ... on Mission {
        id
      }
      ... on WebhookDelivery {
        id
      }
    }
  }
`;

/** A reference as a router sends it. */
export interface Reference {
  readonly __typename: string;
  readonly id: string;
}

export function reference(type: string, id: string): Reference {
  return { __typename: type, id };
}

/** Asks a gateway for the entities behind references, as a router does. */
export async function askEntities(
  gateway: Gateway,
  references: readonly unknown[],
  { document = entitiesQuery, ...options }: QueryOptions & { readonly document?: string } = {},
) {
  const {
    status,
    data: { _entities: entities },
    errors,
  } = await gateway.query(document, { ...options, variables: { references } });
  return { status, entities: entities as readonly unknown[], errors };
}
