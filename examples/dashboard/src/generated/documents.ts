/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';
/** Matches the name of a connection, by either `eq` or `contains`. */
export type ConnectionNameFilter = {
  /** A part of the name, in any case. The platform requires at least three characters. Example: `"office"` */
  readonly contains?: string | null | undefined;
  /** The exact name. Example: `"Head office"` */
  readonly eq?: string | null | undefined;
};

/** Matches texts that contain a given part. */
export type ContainsFilter = {
  /** The part that must occur. Example: `"example.com"` */
  readonly contains?: string | null | undefined;
};

/** Matches moments between two bounds, which are included. A bound that is left out matches everything on its side. `gte` cannot be later than `lte`. */
export type DateTimeRangeFilter = {
  /** At this moment or later. Example: `"2026-10-01T00:00:00Z"` */
  readonly gte?: string | null | undefined;
  /** At this moment or earlier. Example: `"2026-10-31T23:59:59Z"` */
  readonly lte?: string | null | undefined;
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
  /** By `active`. */
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

/** Which webhook deliveries to list. A condition that is left out matches everything; all that are given must match. */
export type WebhookDeliveryFilter = {
  /** Matches a part of the attempts, such as an address. Example: `{ contains: "hooks.example.com" }` */
  readonly attempts?: ContainsFilter | null | undefined;
  /**
   * Matches the deliveries of one connection, as `IpConnection.webhookDeliveries` lists them, by its `id`. An identifier that is no
   * connection's matches the deliveries whose events name it. Example: `"1293384261075731499"`
   */
  readonly connectionId?: string | number | null | undefined;
  /** Matches deliveries of any of these event types, in either spelling. Example: `["call_initiated"]`, the same as `["call.initiated"]` */
  readonly eventType?: ReadonlyArray<string> | null | undefined;
  /** Matches the time at which the delivery ended. */
  readonly finishedAt?: DateTimeRangeFilter | null | undefined;
  /** Matches the time at which the delivery began. */
  readonly startedAt?: DateTimeRangeFilter | null | undefined;
  /** Matches the result of the delivery as a whole. */
  readonly status?: WebhookDeliveryStatusFilter | null | undefined;
  /** Matches a part of the event that was delivered. Example: `{ contains: "+13125550123" }` */
  readonly webhook?: ContainsFilter | null | undefined;
};

/** Matches the status of a webhook delivery. */
export type WebhookDeliveryStatusFilter = {
  /** The exact status, in the same case. The set of values is open. Example: `"delivered"` or `"failed"` */
  readonly eq?: string | null | undefined;
};

export type ChargesHistoryQueryVariables = Exact<{
  startDate: string;
  endDate: string;
}>;

export type ChargesHistoryQuery = {
  readonly chargesHistoryByService: {
    readonly currency: string | null;
    readonly months: ReadonlyArray<{
      readonly startDate: string;
      readonly endDate: string;
      readonly summary: { readonly currency: string; readonly total: { readonly grandTotal: string } } | null;
    }>;
    readonly services: ReadonlyArray<{
      readonly alias: string;
      readonly name: string;
      readonly amounts: ReadonlyArray<string | null>;
    }> | null;
    readonly others: {
      readonly alias: string;
      readonly name: string;
      readonly amounts: ReadonlyArray<string | null>;
    } | null;
  } | null;
  readonly figures: {
    readonly services: ReadonlyArray<{
      readonly alias: string;
      readonly name: string;
      readonly amounts: ReadonlyArray<string | null>;
    }> | null;
  } | null;
};

export type ServiceFragment = {
  readonly alias: string;
  readonly name: string;
  readonly amounts: ReadonlyArray<string | null>;
};

export type ChargesMonthQueryVariables = Exact<{
  startDate: string;
  endDate: string;
}>;

export type ChargesMonthQuery = {
  readonly chargesSummary: {
    readonly currency: string;
    readonly total: {
      readonly newMrc: string;
      readonly newOtc: string;
      readonly existingMrc: string;
      readonly other: string;
      readonly credits: string;
      readonly ledgerAdjustments: string;
      readonly grandTotal: string;
    };
    readonly summary: {
      readonly lines: ReadonlyArray<
        | {
            readonly __typename: 'ComparativeLine';
            readonly name: string;
            readonly alias: string;
            readonly amount: string;
            readonly previousAmount: string | null;
            readonly newThisMonth: { readonly quantity: number; readonly mrc: string; readonly otc: string | null };
            readonly existingThisMonth: {
              readonly quantity: number;
              readonly mrc: string;
              readonly otc: string | null;
            };
          }
        | {
            readonly __typename: 'SimpleLine';
            readonly quantity: number;
            readonly name: string;
            readonly alias: string;
            readonly amount: string;
            readonly previousAmount: string | null;
          }
        | null
      >;
      readonly adjustments: ReadonlyArray<{
        readonly amount: string;
        readonly description: string;
        readonly eventDate: string;
      } | null>;
    };
    readonly previous: {
      readonly startDate: string;
      readonly endDate: string;
      readonly total: {
        readonly newMrc: string;
        readonly newOtc: string;
        readonly existingMrc: string;
        readonly other: string;
        readonly credits: string;
        readonly ledgerAdjustments: string;
        readonly grandTotal: string;
      };
    } | null;
    readonly changes: ReadonlyArray<{
      readonly alias: string;
      readonly name: string;
      readonly previousAmount: string | null;
    }> | null;
  } | null;
};

export type TotalsFragment = {
  readonly newMrc: string;
  readonly newOtc: string;
  readonly existingMrc: string;
  readonly other: string;
  readonly credits: string;
  readonly ledgerAdjustments: string;
  readonly grandTotal: string;
};

type ServiceLine_ComparativeLine_Fragment = {
  readonly __typename: 'ComparativeLine';
  readonly name: string;
  readonly alias: string;
  readonly amount: string;
  readonly previousAmount: string | null;
  readonly newThisMonth: { readonly quantity: number; readonly mrc: string; readonly otc: string | null };
  readonly existingThisMonth: { readonly quantity: number; readonly mrc: string; readonly otc: string | null };
};

type ServiceLine_SimpleLine_Fragment = {
  readonly __typename: 'SimpleLine';
  readonly quantity: number;
  readonly name: string;
  readonly alias: string;
  readonly amount: string;
  readonly previousAmount: string | null;
};

export type ServiceLineFragment = ServiceLine_ComparativeLine_Fragment | ServiceLine_SimpleLine_Fragment;

export type ConnectionQueryVariables = Exact<{
  nodeId: string | number;
}>;

export type ConnectionQuery = {
  readonly node:
    | {
        readonly __typename: 'IpConnection';
        readonly id: string | null;
        readonly nodeId: string;
        readonly recordType: string | null;
        readonly connectionName: string | null;
        readonly active: boolean | null;
        readonly tags: ReadonlyArray<string | null> | null;
        readonly createdAt: string | null;
        readonly updatedAt: string | null;
        readonly transportProtocol: string | null;
        readonly anchorsiteOverride: string | null;
        readonly dtmfType: string | null;
        readonly encodeContactHeaderEnabled: boolean | null;
        readonly encryptedMedia: string | null;
        readonly onnetT38PassthroughEnabled: boolean | null;
        readonly defaultOnHoldComfortNoiseEnabled: boolean | null;
        readonly iosPushCredentialId: string | null;
        readonly androidPushCredentialId: string | null;
        readonly webhookEventUrl: string | null;
        readonly webhookEventFailoverUrl: string | null;
        readonly webhookApiVersion: string | null;
        readonly webhookTimeoutSecs: number | null;
        readonly callCostInWebhooks: boolean | null;
        readonly noiseSuppression: string | null;
        readonly noiseSuppressionDetails: {
          readonly engine: string | null;
          readonly attenuationLimit: number | null;
        } | null;
        readonly jitterBuffer: {
          readonly enableJitterBuffer: boolean | null;
          readonly jitterbufferMsecMin: number | null;
          readonly jitterbufferMsecMax: number | null;
        } | null;
        readonly rtcpSettings: {
          readonly port: string | null;
          readonly captureEnabled: boolean | null;
          readonly reportFrequencySecs: number | null;
        } | null;
        readonly inbound: {
          readonly aniNumberFormat: string | null;
          readonly dnisNumberFormat: string | null;
          readonly codecs: ReadonlyArray<string | null> | null;
          readonly defaultPrimaryIpId: string | null;
          readonly defaultSecondaryIpId: string | null;
          readonly defaultTertiaryIpId: string | null;
          readonly defaultRoutingMethod: string | null;
          readonly channelLimit: number | null;
          readonly generateRingbackTone: boolean | null;
          readonly isupHeadersEnabled: boolean | null;
          readonly prackEnabled: boolean | null;
          readonly sipCompactHeadersEnabled: boolean | null;
          readonly sipRegion: string | null;
          readonly sipSubdomain: string | null;
          readonly sipSubdomainReceiveSettings: string | null;
          readonly timeout1xxSecs: number | null;
          readonly timeout2xxSecs: number | null;
          readonly shakenStirEnabled: boolean | null;
        } | null;
        readonly outbound: {
          readonly callParkingEnabled: boolean | null;
          readonly aniOverride: string | null;
          readonly aniOverrideType: string | null;
          readonly channelLimit: number | null;
          readonly instantRingbackEnabled: boolean | null;
          readonly generateRingbackTone: boolean | null;
          readonly localization: string | null;
          readonly t38ReinviteSource: string | null;
          readonly techPrefix: string | null;
          readonly ipAuthenticationMethod: string | null;
          readonly ipAuthenticationTokenSet: boolean | null;
          readonly outboundVoiceProfileId: string | null;
        } | null;
      }
    | { readonly __typename: 'Mission' }
    | { readonly __typename: 'WebhookDelivery' }
    | null;
};

export type ConnectionsQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
  filter?: IpConnectionFilter | null | undefined;
  orderBy?: IpConnectionOrder | null | undefined;
}>;

export type ConnectionsQuery = {
  readonly ipConnections: {
    readonly offset: number | null;
    readonly totalCount: number | null;
    readonly pageInfo: {
      readonly hasNextPage: boolean;
      readonly hasPreviousPage: boolean;
      readonly startCursor: string | null;
      readonly endCursor: string | null;
    };
    readonly nodes: ReadonlyArray<{
      readonly nodeId: string;
      readonly connectionName: string | null;
      readonly active: boolean | null;
      readonly transportProtocol: string | null;
      readonly tags: ReadonlyArray<string | null> | null;
      readonly createdAt: string | null;
      readonly webhookEventUrl: string | null;
      readonly inbound: { readonly sipRegion: string | null } | null;
      readonly outbound: { readonly ipAuthenticationTokenSet: boolean | null } | null;
    } | null>;
  } | null;
};

export type DeliveriesQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
  filter?: WebhookDeliveryFilter | null | undefined;
}>;

export type DeliveriesQuery = {
  readonly webhookDeliveries: {
    readonly offset: number | null;
    readonly totalCount: number | null;
    readonly pageInfo: {
      readonly hasNextPage: boolean;
      readonly hasPreviousPage: boolean;
      readonly startCursor: string | null;
      readonly endCursor: string | null;
    };
    readonly nodes: ReadonlyArray<{
      readonly nodeId: string;
      readonly status: string | null;
      readonly startedAt: string | null;
      readonly finishedAt: string | null;
      readonly attemptCount: number | null;
      readonly webhook: { readonly eventType: string | null } | null;
      readonly newestAttempt: {
        readonly http: {
          readonly request: { readonly url: string | null } | null;
          readonly response: { readonly status: number | null } | null;
        } | null;
      } | null;
    } | null>;
  } | null;
};

export type DeliveryRowFragment = {
  readonly nodeId: string;
  readonly status: string | null;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  readonly attemptCount: number | null;
  readonly webhook: { readonly eventType: string | null } | null;
  readonly newestAttempt: {
    readonly http: {
      readonly request: { readonly url: string | null } | null;
      readonly response: { readonly status: number | null } | null;
    } | null;
  } | null;
};

export type DeliveryFailuresQueryVariables = Exact<{
  filter?: WebhookDeliveryFilter | null | undefined;
}>;

export type DeliveryFailuresQuery = {
  readonly deliveryFailures: {
    readonly examined: number;
    readonly isWhole: boolean;
    readonly groups: ReadonlyArray<{
      readonly address: string | null;
      readonly httpStatus: number | null;
      readonly errorCode: number | null;
      readonly title: string | null;
      readonly count: number;
      readonly newest: { readonly startedAt: string | null };
    }>;
  } | null;
};

export type DeliveryQueryVariables = Exact<{
  nodeId: string | number;
}>;

export type DeliveryQuery = {
  readonly node:
    | { readonly __typename: 'IpConnection' }
    | { readonly __typename: 'Mission' }
    | {
        readonly __typename: 'WebhookDelivery';
        readonly id: string | null;
        readonly webhook: { readonly id: string | null; readonly occurredAt: string | null } | null;
        readonly ipConnection: { readonly connectionName: string | null } | null;
        readonly attempts: ReadonlyArray<{
          readonly status: string | null;
          readonly startedAt: string | null;
          readonly finishedAt: string | null;
          readonly errors: ReadonlyArray<number | null> | null;
          readonly http: {
            readonly request: {
              readonly url: string | null;
              readonly headers: ReadonlyArray<{
                readonly name: string | null;
                readonly value: string | null;
              } | null> | null;
            } | null;
            readonly response: {
              readonly status: number | null;
              readonly body: string | null;
              readonly headers: ReadonlyArray<{
                readonly name: string | null;
                readonly value: string | null;
              } | null> | null;
            } | null;
          } | null;
        } | null> | null;
      }
    | null;
};

export type AttemptFragment = {
  readonly status: string | null;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  readonly errors: ReadonlyArray<number | null> | null;
  readonly http: {
    readonly request: {
      readonly url: string | null;
      readonly headers: ReadonlyArray<{ readonly name: string | null; readonly value: string | null } | null> | null;
    } | null;
    readonly response: {
      readonly status: number | null;
      readonly body: string | null;
      readonly headers: ReadonlyArray<{ readonly name: string | null; readonly value: string | null } | null> | null;
    } | null;
  } | null;
};

export type MissionsQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
}>;

export type MissionsQuery = {
  readonly missions: {
    readonly offset: number | null;
    readonly totalCount: number | null;
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
    readonly nodes: ReadonlyArray<{
      readonly nodeId: string;
      readonly name: string | null;
      readonly description: string | null;
      readonly model: string | null;
      readonly instructions: string | null;
      readonly metadata: Record<string, unknown> | null;
      readonly createdAt: string | null;
      readonly updatedAt: string | null;
    } | null>;
  } | null;
};

export type OverviewQueryVariables = Exact<{
  startDate: string;
  endDate: string;
  since: string;
}>;

export type OverviewQuery = {
  readonly chargesForecast: {
    readonly currency: string;
    readonly expected: string;
    readonly low: string;
    readonly high: string;
  } | null;
  readonly chargesSummary: { readonly currency: string; readonly total: { readonly grandTotal: string } } | null;
  readonly ipConnections: { readonly totalCount: number | null } | null;
  readonly webhookDeliveries: { readonly totalCount: number | null } | null;
  readonly missions: { readonly totalCount: number | null } | null;
};

export type TurnsFragment = {
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  readonly startCursor: string | null;
  readonly endCursor: string | null;
};

export const ServiceFragmentDoc = {
  kind: 'Document',
  definitions: [
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'Service' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'ServiceHistory' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'alias' } },
          { kind: 'Field', name: { kind: 'Name', value: 'name' } },
          { kind: 'Field', name: { kind: 'Name', value: 'amounts' } },
        ],
      },
    },
  ],
} as unknown as DocumentNode<ServiceFragment, unknown>;
export const TotalsFragmentDoc = {
  kind: 'Document',
  definitions: [
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'Totals' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'TotalSummary' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'newMrc' } },
          { kind: 'Field', name: { kind: 'Name', value: 'newOtc' } },
          { kind: 'Field', name: { kind: 'Name', value: 'existingMrc' } },
          { kind: 'Field', name: { kind: 'Name', value: 'other' } },
          { kind: 'Field', name: { kind: 'Name', value: 'credits' } },
          { kind: 'Field', name: { kind: 'Name', value: 'ledgerAdjustments' } },
          { kind: 'Field', name: { kind: 'Name', value: 'grandTotal' } },
        ],
      },
    },
  ],
} as unknown as DocumentNode<TotalsFragment, unknown>;
export const ServiceLineFragmentDoc = {
  kind: 'Document',
  definitions: [
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'ServiceLine' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'ServiceLine' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
          { kind: 'Field', name: { kind: 'Name', value: 'name' } },
          { kind: 'Field', name: { kind: 'Name', value: 'alias' } },
          { kind: 'Field', name: { kind: 'Name', value: 'amount' } },
          { kind: 'Field', name: { kind: 'Name', value: 'previousAmount' } },
          {
            kind: 'InlineFragment',
            typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'ComparativeLine' } },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'newThisMonth' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'quantity' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'mrc' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'otc' } },
                    ],
                  },
                },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'existingThisMonth' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'quantity' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'mrc' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'otc' } },
                    ],
                  },
                },
              ],
            },
          },
          {
            kind: 'InlineFragment',
            typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'SimpleLine' } },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'quantity' } }],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<ServiceLineFragment, unknown>;
export const DeliveryRowFragmentDoc = {
  kind: 'Document',
  definitions: [
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'DeliveryRow' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'WebhookDelivery' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'nodeId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'status' } },
          { kind: 'Field', name: { kind: 'Name', value: 'startedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'finishedAt' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'webhook' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'eventType' } }],
            },
          },
          { kind: 'Field', name: { kind: 'Name', value: 'attemptCount' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'newestAttempt' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'http' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'request' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [{ kind: 'Field', name: { kind: 'Name', value: 'url' } }],
                        },
                      },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'response' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [{ kind: 'Field', name: { kind: 'Name', value: 'status' } }],
                        },
                      },
                    ],
                  },
                },
              ],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<DeliveryRowFragment, unknown>;
export const AttemptFragmentDoc = {
  kind: 'Document',
  definitions: [
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'Attempt' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'WebhookDeliveryAttempt' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'status' } },
          { kind: 'Field', name: { kind: 'Name', value: 'startedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'finishedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'errors' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'http' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'request' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'url' } },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'headers' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            { kind: 'Field', name: { kind: 'Name', value: 'name' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'value' } },
                          ],
                        },
                      },
                    ],
                  },
                },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'response' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'status' } },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'headers' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            { kind: 'Field', name: { kind: 'Name', value: 'name' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'value' } },
                          ],
                        },
                      },
                      { kind: 'Field', name: { kind: 'Name', value: 'body' } },
                    ],
                  },
                },
              ],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<AttemptFragment, unknown>;
export const TurnsFragmentDoc = {
  kind: 'Document',
  definitions: [
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'Turns' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'PageInfo' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'hasNextPage' } },
          { kind: 'Field', name: { kind: 'Name', value: 'hasPreviousPage' } },
          { kind: 'Field', name: { kind: 'Name', value: 'startCursor' } },
          { kind: 'Field', name: { kind: 'Name', value: 'endCursor' } },
        ],
      },
    },
  ],
} as unknown as DocumentNode<TurnsFragment, unknown>;
export const ChargesHistoryDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'ChargesHistory' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'startDate' } },
          type: { kind: 'NonNullType', type: { kind: 'NamedType', name: { kind: 'Name', value: 'Date' } } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'endDate' } },
          type: { kind: 'NonNullType', type: { kind: 'NamedType', name: { kind: 'Name', value: 'Date' } } },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'chargesHistoryByService' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'startDate' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'startDate' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'endDate' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'endDate' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'currency' } },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'months' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'startDate' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'endDate' } },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'summary' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            { kind: 'Field', name: { kind: 'Name', value: 'currency' } },
                            {
                              kind: 'Field',
                              name: { kind: 'Name', value: 'total' },
                              selectionSet: {
                                kind: 'SelectionSet',
                                selections: [{ kind: 'Field', name: { kind: 'Name', value: 'grandTotal' } }],
                              },
                            },
                          ],
                        },
                      },
                    ],
                  },
                },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'services' },
                  arguments: [
                    {
                      kind: 'Argument',
                      name: { kind: 'Name', value: 'first' },
                      value: { kind: 'IntValue', value: '6' },
                    },
                    {
                      kind: 'Argument',
                      name: { kind: 'Name', value: 'orderBy' },
                      value: { kind: 'EnumValue', value: 'TOTAL' },
                    },
                  ],
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'Service' } }],
                  },
                },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'others' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'Service' } }],
                  },
                },
              ],
            },
          },
          {
            kind: 'Field',
            alias: { kind: 'Name', value: 'figures' },
            name: { kind: 'Name', value: 'chargesHistoryByService' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'startDate' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'startDate' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'endDate' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'endDate' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'services' },
                  arguments: [
                    {
                      kind: 'Argument',
                      name: { kind: 'Name', value: 'orderBy' },
                      value: { kind: 'EnumValue', value: 'TOTAL' },
                    },
                  ],
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'Service' } }],
                  },
                },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'Service' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'ServiceHistory' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'alias' } },
          { kind: 'Field', name: { kind: 'Name', value: 'name' } },
          { kind: 'Field', name: { kind: 'Name', value: 'amounts' } },
        ],
      },
    },
  ],
} as unknown as DocumentNode<ChargesHistoryQuery, ChargesHistoryQueryVariables>;
export const ChargesMonthDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'ChargesMonth' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'startDate' } },
          type: { kind: 'NonNullType', type: { kind: 'NamedType', name: { kind: 'Name', value: 'Date' } } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'endDate' } },
          type: { kind: 'NonNullType', type: { kind: 'NamedType', name: { kind: 'Name', value: 'Date' } } },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'chargesSummary' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'startDate' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'startDate' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'endDate' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'endDate' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'currency' } },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'total' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'Totals' } }],
                  },
                },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'summary' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'lines' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'ServiceLine' } }],
                        },
                      },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'adjustments' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            { kind: 'Field', name: { kind: 'Name', value: 'amount' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'description' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'eventDate' } },
                          ],
                        },
                      },
                    ],
                  },
                },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'previous' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'startDate' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'endDate' } },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'total' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'Totals' } }],
                        },
                      },
                    ],
                  },
                },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'changes' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'alias' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'name' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'previousAmount' } },
                    ],
                  },
                },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'Totals' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'TotalSummary' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'newMrc' } },
          { kind: 'Field', name: { kind: 'Name', value: 'newOtc' } },
          { kind: 'Field', name: { kind: 'Name', value: 'existingMrc' } },
          { kind: 'Field', name: { kind: 'Name', value: 'other' } },
          { kind: 'Field', name: { kind: 'Name', value: 'credits' } },
          { kind: 'Field', name: { kind: 'Name', value: 'ledgerAdjustments' } },
          { kind: 'Field', name: { kind: 'Name', value: 'grandTotal' } },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'ServiceLine' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'ServiceLine' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
          { kind: 'Field', name: { kind: 'Name', value: 'name' } },
          { kind: 'Field', name: { kind: 'Name', value: 'alias' } },
          { kind: 'Field', name: { kind: 'Name', value: 'amount' } },
          { kind: 'Field', name: { kind: 'Name', value: 'previousAmount' } },
          {
            kind: 'InlineFragment',
            typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'ComparativeLine' } },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'newThisMonth' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'quantity' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'mrc' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'otc' } },
                    ],
                  },
                },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'existingThisMonth' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'quantity' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'mrc' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'otc' } },
                    ],
                  },
                },
              ],
            },
          },
          {
            kind: 'InlineFragment',
            typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'SimpleLine' } },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'quantity' } }],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<ChargesMonthQuery, ChargesMonthQueryVariables>;
export const ConnectionDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'Connection' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'nodeId' } },
          type: { kind: 'NonNullType', type: { kind: 'NamedType', name: { kind: 'Name', value: 'ID' } } },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'node' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'nodeId' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'nodeId' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
                {
                  kind: 'InlineFragment',
                  typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'IpConnection' } },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'id' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'nodeId' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'recordType' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'connectionName' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'active' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'tags' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'createdAt' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'updatedAt' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'transportProtocol' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'anchorsiteOverride' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'dtmfType' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'encodeContactHeaderEnabled' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'encryptedMedia' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'onnetT38PassthroughEnabled' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'defaultOnHoldComfortNoiseEnabled' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'iosPushCredentialId' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'androidPushCredentialId' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'webhookEventUrl' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'webhookEventFailoverUrl' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'webhookApiVersion' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'webhookTimeoutSecs' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'callCostInWebhooks' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'noiseSuppression' } },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'noiseSuppressionDetails' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            { kind: 'Field', name: { kind: 'Name', value: 'engine' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'attenuationLimit' } },
                          ],
                        },
                      },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'jitterBuffer' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            { kind: 'Field', name: { kind: 'Name', value: 'enableJitterBuffer' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'jitterbufferMsecMin' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'jitterbufferMsecMax' } },
                          ],
                        },
                      },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'rtcpSettings' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            { kind: 'Field', name: { kind: 'Name', value: 'port' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'captureEnabled' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'reportFrequencySecs' } },
                          ],
                        },
                      },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'inbound' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            { kind: 'Field', name: { kind: 'Name', value: 'aniNumberFormat' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'dnisNumberFormat' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'codecs' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'defaultPrimaryIpId' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'defaultSecondaryIpId' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'defaultTertiaryIpId' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'defaultRoutingMethod' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'channelLimit' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'generateRingbackTone' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'isupHeadersEnabled' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'prackEnabled' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'sipCompactHeadersEnabled' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'sipRegion' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'sipSubdomain' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'sipSubdomainReceiveSettings' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'timeout1xxSecs' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'timeout2xxSecs' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'shakenStirEnabled' } },
                          ],
                        },
                      },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'outbound' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            { kind: 'Field', name: { kind: 'Name', value: 'callParkingEnabled' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'aniOverride' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'aniOverrideType' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'channelLimit' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'instantRingbackEnabled' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'generateRingbackTone' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'localization' } },
                            { kind: 'Field', name: { kind: 'Name', value: 't38ReinviteSource' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'techPrefix' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'ipAuthenticationMethod' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'ipAuthenticationTokenSet' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'outboundVoiceProfileId' } },
                          ],
                        },
                      },
                    ],
                  },
                },
              ],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<ConnectionQuery, ConnectionQueryVariables>;
export const ConnectionsDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'Connections' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'first' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'Int' } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'after' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'String' } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'last' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'Int' } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'before' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'String' } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'filter' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'IpConnectionFilter' } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'orderBy' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'IpConnectionOrder' } },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'ipConnections' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'first' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'first' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'after' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'after' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'last' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'last' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'before' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'before' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'filter' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'filter' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'orderBy' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'orderBy' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'offset' } },
                { kind: 'Field', name: { kind: 'Name', value: 'totalCount' } },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'pageInfo' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'Turns' } }],
                  },
                },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'nodes' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'nodeId' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'connectionName' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'active' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'transportProtocol' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'tags' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'createdAt' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'webhookEventUrl' } },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'inbound' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [{ kind: 'Field', name: { kind: 'Name', value: 'sipRegion' } }],
                        },
                      },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'outbound' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [{ kind: 'Field', name: { kind: 'Name', value: 'ipAuthenticationTokenSet' } }],
                        },
                      },
                    ],
                  },
                },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'Turns' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'PageInfo' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'hasNextPage' } },
          { kind: 'Field', name: { kind: 'Name', value: 'hasPreviousPage' } },
          { kind: 'Field', name: { kind: 'Name', value: 'startCursor' } },
          { kind: 'Field', name: { kind: 'Name', value: 'endCursor' } },
        ],
      },
    },
  ],
} as unknown as DocumentNode<ConnectionsQuery, ConnectionsQueryVariables>;
export const DeliveriesDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'Deliveries' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'first' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'Int' } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'after' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'String' } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'last' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'Int' } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'before' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'String' } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'filter' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'WebhookDeliveryFilter' } },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'webhookDeliveries' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'first' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'first' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'after' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'after' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'last' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'last' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'before' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'before' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'filter' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'filter' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'offset' } },
                { kind: 'Field', name: { kind: 'Name', value: 'totalCount' } },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'pageInfo' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'Turns' } }],
                  },
                },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'nodes' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'DeliveryRow' } }],
                  },
                },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'Turns' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'PageInfo' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'hasNextPage' } },
          { kind: 'Field', name: { kind: 'Name', value: 'hasPreviousPage' } },
          { kind: 'Field', name: { kind: 'Name', value: 'startCursor' } },
          { kind: 'Field', name: { kind: 'Name', value: 'endCursor' } },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'DeliveryRow' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'WebhookDelivery' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'nodeId' } },
          { kind: 'Field', name: { kind: 'Name', value: 'status' } },
          { kind: 'Field', name: { kind: 'Name', value: 'startedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'finishedAt' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'webhook' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'eventType' } }],
            },
          },
          { kind: 'Field', name: { kind: 'Name', value: 'attemptCount' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'newestAttempt' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'http' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'request' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [{ kind: 'Field', name: { kind: 'Name', value: 'url' } }],
                        },
                      },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'response' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [{ kind: 'Field', name: { kind: 'Name', value: 'status' } }],
                        },
                      },
                    ],
                  },
                },
              ],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<DeliveriesQuery, DeliveriesQueryVariables>;
export const DeliveryFailuresDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'DeliveryFailures' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'filter' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'WebhookDeliveryFilter' } },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'deliveryFailures' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'filter' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'filter' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'examined' } },
                { kind: 'Field', name: { kind: 'Name', value: 'isWhole' } },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'groups' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'address' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'httpStatus' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'errorCode' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'title' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'count' } },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'newest' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [{ kind: 'Field', name: { kind: 'Name', value: 'startedAt' } }],
                        },
                      },
                    ],
                  },
                },
              ],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<DeliveryFailuresQuery, DeliveryFailuresQueryVariables>;
export const DeliveryDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'Delivery' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'nodeId' } },
          type: { kind: 'NonNullType', type: { kind: 'NamedType', name: { kind: 'Name', value: 'ID' } } },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'node' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'nodeId' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'nodeId' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: '__typename' } },
                {
                  kind: 'InlineFragment',
                  typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'WebhookDelivery' } },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'id' } },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'webhook' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            { kind: 'Field', name: { kind: 'Name', value: 'id' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'occurredAt' } },
                          ],
                        },
                      },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'ipConnection' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [{ kind: 'Field', name: { kind: 'Name', value: 'connectionName' } }],
                        },
                      },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'attempts' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [{ kind: 'FragmentSpread', name: { kind: 'Name', value: 'Attempt' } }],
                        },
                      },
                    ],
                  },
                },
              ],
            },
          },
        ],
      },
    },
    {
      kind: 'FragmentDefinition',
      name: { kind: 'Name', value: 'Attempt' },
      typeCondition: { kind: 'NamedType', name: { kind: 'Name', value: 'WebhookDeliveryAttempt' } },
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          { kind: 'Field', name: { kind: 'Name', value: 'status' } },
          { kind: 'Field', name: { kind: 'Name', value: 'startedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'finishedAt' } },
          { kind: 'Field', name: { kind: 'Name', value: 'errors' } },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'http' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'request' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'url' } },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'headers' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            { kind: 'Field', name: { kind: 'Name', value: 'name' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'value' } },
                          ],
                        },
                      },
                    ],
                  },
                },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'response' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'status' } },
                      {
                        kind: 'Field',
                        name: { kind: 'Name', value: 'headers' },
                        selectionSet: {
                          kind: 'SelectionSet',
                          selections: [
                            { kind: 'Field', name: { kind: 'Name', value: 'name' } },
                            { kind: 'Field', name: { kind: 'Name', value: 'value' } },
                          ],
                        },
                      },
                      { kind: 'Field', name: { kind: 'Name', value: 'body' } },
                    ],
                  },
                },
              ],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<DeliveryQuery, DeliveryQueryVariables>;
export const MissionsDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'Missions' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'first' } },
          type: { kind: 'NonNullType', type: { kind: 'NamedType', name: { kind: 'Name', value: 'Int' } } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'after' } },
          type: { kind: 'NamedType', name: { kind: 'Name', value: 'String' } },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'missions' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'first' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'first' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'after' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'after' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'offset' } },
                { kind: 'Field', name: { kind: 'Name', value: 'totalCount' } },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'pageInfo' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'hasNextPage' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'endCursor' } },
                    ],
                  },
                },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'nodes' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [
                      { kind: 'Field', name: { kind: 'Name', value: 'nodeId' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'name' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'description' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'model' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'instructions' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'metadata' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'createdAt' } },
                      { kind: 'Field', name: { kind: 'Name', value: 'updatedAt' } },
                    ],
                  },
                },
              ],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<MissionsQuery, MissionsQueryVariables>;
export const OverviewDocument = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'query',
      name: { kind: 'Name', value: 'Overview' },
      variableDefinitions: [
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'startDate' } },
          type: { kind: 'NonNullType', type: { kind: 'NamedType', name: { kind: 'Name', value: 'Date' } } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'endDate' } },
          type: { kind: 'NonNullType', type: { kind: 'NamedType', name: { kind: 'Name', value: 'Date' } } },
        },
        {
          kind: 'VariableDefinition',
          variable: { kind: 'Variable', name: { kind: 'Name', value: 'since' } },
          type: { kind: 'NonNullType', type: { kind: 'NamedType', name: { kind: 'Name', value: 'DateTime' } } },
        },
      ],
      selectionSet: {
        kind: 'SelectionSet',
        selections: [
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'chargesForecast' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'month' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'endDate' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'currency' } },
                { kind: 'Field', name: { kind: 'Name', value: 'expected' } },
                { kind: 'Field', name: { kind: 'Name', value: 'low' } },
                { kind: 'Field', name: { kind: 'Name', value: 'high' } },
              ],
            },
          },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'chargesSummary' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'startDate' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'startDate' } },
              },
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'endDate' },
                value: { kind: 'Variable', name: { kind: 'Name', value: 'endDate' } },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [
                { kind: 'Field', name: { kind: 'Name', value: 'currency' } },
                {
                  kind: 'Field',
                  name: { kind: 'Name', value: 'total' },
                  selectionSet: {
                    kind: 'SelectionSet',
                    selections: [{ kind: 'Field', name: { kind: 'Name', value: 'grandTotal' } }],
                  },
                },
              ],
            },
          },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'ipConnections' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'totalCount' } }],
            },
          },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'webhookDeliveries' },
            arguments: [
              {
                kind: 'Argument',
                name: { kind: 'Name', value: 'filter' },
                value: {
                  kind: 'ObjectValue',
                  fields: [
                    {
                      kind: 'ObjectField',
                      name: { kind: 'Name', value: 'status' },
                      value: {
                        kind: 'ObjectValue',
                        fields: [
                          {
                            kind: 'ObjectField',
                            name: { kind: 'Name', value: 'eq' },
                            value: { kind: 'StringValue', value: 'failed', block: false },
                          },
                        ],
                      },
                    },
                    {
                      kind: 'ObjectField',
                      name: { kind: 'Name', value: 'startedAt' },
                      value: {
                        kind: 'ObjectValue',
                        fields: [
                          {
                            kind: 'ObjectField',
                            name: { kind: 'Name', value: 'gte' },
                            value: { kind: 'Variable', name: { kind: 'Name', value: 'since' } },
                          },
                        ],
                      },
                    },
                  ],
                },
              },
            ],
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'totalCount' } }],
            },
          },
          {
            kind: 'Field',
            name: { kind: 'Name', value: 'missions' },
            selectionSet: {
              kind: 'SelectionSet',
              selections: [{ kind: 'Field', name: { kind: 'Name', value: 'totalCount' } }],
            },
          },
        ],
      },
    },
  ],
} as unknown as DocumentNode<OverviewQuery, OverviewQueryVariables>;
