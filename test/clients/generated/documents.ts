/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';
/** Matches the name of a connection, by either `eq` or `contains`. */
export type ConnectionNameFilter = {
  /** A part of the name, in any case: at least three characters. Example: `"office"` */
  readonly contains?: string | null | undefined;
  /**
   * The exact name. One with a comma, or `null`, which the platform would read otherwise, is looked for in the whole list, as far as a
   * search goes. Example: `"Head office"`
   */
  readonly eq?: string | null | undefined;
};

/** Which IP connections to list. A condition that is left out matches everything; all that are given must match. */
export type IpConnectionFilter = {
  /**
   * Matches connections that are switched on (`true`) or off (`false`). The platform has no such filter: the list is read through, as
   * far as a search goes. Example: `false`
   */
  readonly active?: boolean | null | undefined;
  /** Matches the name of the connection. */
  readonly connectionName?: ConnectionNameFilter | null | undefined;
  /** Matches the fully qualified domain name: the whole name, case-sensitively. Example: `"sip.example.com"` */
  readonly fqdn?: string | null | undefined;
  /** Matches the outbound settings of the connection. Example: `{ outboundVoiceProfileId: "1293384261075731499" }` */
  readonly outbound?: IpConnectionOutboundFilter | null | undefined;
  /**
   * Matches the identifier of the outbound voice profile, as `outbound.outboundVoiceProfileId` does. Example: `"1293384261075731499"`
   * @deprecated Use `outbound: { outboundVoiceProfileId: "1293384261075731499" }`, which names the field where connections have it. Both go on working.
   */
  readonly outboundVoiceProfileId?: string | null | undefined;
  /** Matches the tags of the connection. The list is read through, as for `active`. Example: `{ contains: "production" }` */
  readonly tags?: TagsFilter | null | undefined;
};

/** The order of a list of IP connections. Example: `{ field: CONNECTION_NAME, direction: DESC }` */
export type IpConnectionOrder = {
  /** The direction of the sort. Default: ascending. */
  readonly direction?: OrderDirection;
  /** What to sort by. */
  readonly field: IpConnectionOrderField;
};

/** What IP connections can be sorted by. */
export type IpConnectionOrderField =
  /**
   * By `active`. It has two values, and the platform does not say in which order the connections of one value come. Pages fit together as long
   * as it keeps that order. Where each connection must come just once, use `filter: { active: true }` with `CREATED_AT`.
   */
  | 'ACTIVE'
  /** By `connectionName`. */
  | 'CONNECTION_NAME'
  /** By `createdAt`. */
  | 'CREATED_AT';

/** Matches the outbound settings of a connection. */
export type IpConnectionOutboundFilter = {
  /** Matches the identifier of the outbound voice profile in these settings. Example: `"1293384261075731499"` */
  readonly outboundVoiceProfileId?: string | null | undefined;
};

/** The direction in which a list is sorted. */
export type OrderDirection =
  /** Smallest, earliest or alphabetically first comes first; `false` before `true`. */
  | 'ASC'
  /** Largest, latest or alphabetically last comes first; `true` before `false`. */
  | 'DESC';

/** Matches connections by their tags. */
export type TagsFilter = {
  /** A tag that the connection has, whole and in the same case. Example: `"production"` */
  readonly contains?: string | null | undefined;
};

export type ChargesByNumberQueryVariables = Exact<{
  startDate: string;
  endDate: string;
  after?: string | null | undefined;
}>;


export type ChargesByNumberQuery = { readonly chargesBreakdown: { readonly currency: string | null, readonly results: { readonly edges: ReadonlyArray<{ readonly node: { readonly tn: string | null } | null }>, readonly pageInfo: { readonly endCursor: string | null, readonly hasNextPage: boolean } } | null } | null };

export type IpConnectionRowFragment = { readonly id: string | null, readonly nodeId: string, readonly connectionName: string | null, readonly active: boolean | null };

export type IpConnectionPageQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
  filter?: IpConnectionFilter | null | undefined;
  orderBy?: IpConnectionOrder | null | undefined;
}>;


export type IpConnectionPageQuery = { readonly ipConnections: { readonly totalCount: number | null, readonly edges: ReadonlyArray<{ readonly cursor: string, readonly node: { readonly id: string | null, readonly nodeId: string, readonly connectionName: string | null, readonly active: boolean | null } | null }>, readonly pageInfo: { readonly endCursor: string | null, readonly hasNextPage: boolean } } | null };

export type IpConnectionByIdQueryVariables = Exact<{
  id: string | number;
}>;


export type IpConnectionByIdQuery = { readonly ipConnection: { readonly id: string | null, readonly nodeId: string, readonly connectionName: string | null, readonly active: boolean | null } | null };

export type IpConnectionByNodeIdQueryVariables = Exact<{
  nodeId: string | number;
}>;


export type IpConnectionByNodeIdQuery = { readonly node:
    | { readonly __typename: 'IpConnection', readonly id: string | null, readonly nodeId: string, readonly connectionName: string | null, readonly active: boolean | null }
    | { readonly __typename: 'Mission' }
    | { readonly __typename: 'WebhookDelivery' }
   | null };

export type OverviewQueryVariables = Exact<{
  startDate: string;
  endDate: string;
}>;


export type OverviewQuery = { readonly chargesSummary: { readonly currency: string, readonly summary: { readonly lines: ReadonlyArray<
        | { readonly name: string, readonly newThisMonth: { readonly mrc: string } }
        | { readonly name: string, readonly amount: string }
       | null> }, readonly total: { readonly grandTotal: string } } | null, readonly ipConnections: { readonly totalCount: number | null } | null };

export const IpConnectionRowFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"IpConnectionRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"IpConnection"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"nodeId"}},{"kind":"Field","name":{"kind":"Name","value":"connectionName"}},{"kind":"Field","name":{"kind":"Name","value":"active"}}]}}]} as unknown as DocumentNode<IpConnectionRowFragment, unknown>;
export const ChargesByNumberDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"ChargesByNumber"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"startDate"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Date"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"endDate"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Date"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"chargesBreakdown"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"startDate"},"value":{"kind":"Variable","name":{"kind":"Name","value":"startDate"}}},{"kind":"Argument","name":{"kind":"Name","value":"endDate"},"value":{"kind":"Variable","name":{"kind":"Name","value":"endDate"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"currency"}},{"kind":"Field","name":{"kind":"Name","value":"results"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"2"}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"edges"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"node"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"tn"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"endCursor"}},{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}}]}}]}}]}}]}}]} as unknown as DocumentNode<ChargesByNumberQuery, ChargesByNumberQueryVariables>;
export const IpConnectionPageDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"IpConnectionPage"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"filter"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"IpConnectionFilter"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"orderBy"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"IpConnectionOrder"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"ipConnections"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}},{"kind":"Argument","name":{"kind":"Name","value":"filter"},"value":{"kind":"Variable","name":{"kind":"Name","value":"filter"}}},{"kind":"Argument","name":{"kind":"Name","value":"orderBy"},"value":{"kind":"Variable","name":{"kind":"Name","value":"orderBy"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"edges"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"cursor"}},{"kind":"Field","name":{"kind":"Name","value":"node"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"IpConnectionRow"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"endCursor"}},{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}}]}},{"kind":"Field","name":{"kind":"Name","value":"totalCount"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"IpConnectionRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"IpConnection"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"nodeId"}},{"kind":"Field","name":{"kind":"Name","value":"connectionName"}},{"kind":"Field","name":{"kind":"Name","value":"active"}}]}}]} as unknown as DocumentNode<IpConnectionPageQuery, IpConnectionPageQueryVariables>;
export const IpConnectionByIdDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"IpConnectionById"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"ipConnection"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"IpConnectionRow"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"IpConnectionRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"IpConnection"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"nodeId"}},{"kind":"Field","name":{"kind":"Name","value":"connectionName"}},{"kind":"Field","name":{"kind":"Name","value":"active"}}]}}]} as unknown as DocumentNode<IpConnectionByIdQuery, IpConnectionByIdQueryVariables>;
export const IpConnectionByNodeIdDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"IpConnectionByNodeId"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"nodeId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"node"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"nodeId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"nodeId"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"FragmentSpread","name":{"kind":"Name","value":"IpConnectionRow"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"IpConnectionRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"IpConnection"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"nodeId"}},{"kind":"Field","name":{"kind":"Name","value":"connectionName"}},{"kind":"Field","name":{"kind":"Name","value":"active"}}]}}]} as unknown as DocumentNode<IpConnectionByNodeIdQuery, IpConnectionByNodeIdQueryVariables>;
export const OverviewDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Overview"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"startDate"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Date"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"endDate"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Date"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"chargesSummary"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"startDate"},"value":{"kind":"Variable","name":{"kind":"Name","value":"startDate"}}},{"kind":"Argument","name":{"kind":"Name","value":"endDate"},"value":{"kind":"Variable","name":{"kind":"Name","value":"endDate"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"currency"}},{"kind":"Field","name":{"kind":"Name","value":"summary"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"lines"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"ComparativeLine"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"newThisMonth"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"mrc"}}]}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"SimpleLine"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"amount"}}]}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"total"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"grandTotal"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"ipConnections"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"1"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}}]}}]}}]} as unknown as DocumentNode<OverviewQuery, OverviewQueryVariables>;