import type { GraphQLScalarType, GraphQLScalarTypeConfig } from 'graphql';
import type { FieldInfo as GraphQLResolveInfo } from '../graphql/context.ts';
import type { ChargesBreakdownRecord, ChargesBreakdownTotalsRecord, CostTypeTotalRecord, ServiceOwnerTotalRecord, ChargesBreakdownResultRecord, ServiceChargeRecord, ChargesBreakdownCsvRecord, ChargesForecastRecord, ChargesHistoryByServiceRecord, ChargesMonthRecord, ServiceHistoryRecord, ChargesSummaryRecord, ServiceChangeRecord, SummaryRecord, ComparativeLineRecord, SimpleLineRecord, MonthDetailRecord, AdjustmentLineRecord, TotalSummaryRecord, HttpHeaderRecord, DeliveryCountsRecord, DeliveryBucketRecord, DeliveryStatusCountRecord, DeliveryFailuresRecord, DeliveryFailureGroupRecord, IpConnectionRecord, RtcpSettingsRecord, IpConnectionInboundRecord, IpConnectionOutboundRecord, NoiseSuppressionDetailsRecord, JitterBufferRecord, MissionRecord, DeliveryArrivedRecord, FeedStateChangedRecord, WebhookDeliveryRecord, WebhookEventRecord, WebhookDeliveryAttemptRecord, AttemptErrorRecord, AttemptHttpRecord, AttemptRequestRecord, AttemptResponseRecord, PageInfoRecord, ChargesBreakdownResultConnectionRecord, ChargesBreakdownResultEdgeRecord, IpConnectionConnectionRecord, IpConnectionEdgeRecord, MissionConnectionRecord, MissionEdgeRecord, WebhookDeliveryConnectionRecord, WebhookDeliveryEdgeRecord } from './records.ts';
import type { Context } from '../graphql/context.ts';
export type Maybe<T> = T | null | undefined;
export type InputMaybe<T> = T | null | undefined;
export type RequireFields<T, K extends keyof T> = Omit<T, K> & { [P in K]-?: NonNullable<T[P]> };
/** All built-in and custom scalars, mapped to their actual values */
export type Scalars = {
  ID: { input: string; output: string; }
  String: { input: string; output: string; }
  Boolean: { input: boolean; output: boolean; }
  Int: { input: number; output: number; }
  Float: { input: number; output: number; }
  /** A calendar day, `YYYY-MM-DD`. Example: `"2026-10-01"` */
  Date: { input: string; output: string; }
  /** A moment in time, an ISO 8601 date-time in UTC, as the platform wrote it. Example: `"2026-10-01T08:30:00Z"` */
  DateTime: { input: string; output: string; }
  /** A decimal number written as a string, so that no digit is lost. All amounts of money are decimals. Example: `"-12.50"` */
  Decimal: { input: string; output: string; }
  /** A free-form JSON object, exactly as it was sent. Integers that are too large for a double keep all their digits. Example: `{ "team": "support" }` */
  JSONObject: { input: Record<string, unknown>; output: Record<string, unknown>; }
  _FieldSet: { input: string; output: string; }
};

/** One correction to the account. */
export type AdjustmentLine = {
  readonly __typename?: 'AdjustmentLine';
  /** Amount, in the currency of the summary. It may be negative. Example: `"-5.00"` */
  readonly amount: Scalars['Decimal']['output'];
  /** What the correction is for, in words. Example: `"Service credit"` */
  readonly description: Scalars['String']['output'];
  /** Day on which the correction occurred. Example: `"2026-10-14"` */
  readonly eventDate: Scalars['Date']['output'];
};

/** The platform's reason for a failed attempt. A field is null when the platform did not send it. */
export type AttemptError = {
  readonly __typename?: 'AttemptError';
  /** The platform's error code. Example: `75001` */
  readonly code: Maybe<Scalars['Int']['output']>;
  /** What went wrong this time. Example: `"The receiver did not answer."` */
  readonly detail: Maybe<Scalars['String']['output']>;
  /** What went wrong, in a few words. Example: `"Connection failed"` */
  readonly title: Maybe<Scalars['String']['output']>;
};

/** The HTTP exchange of an attempt. */
export type AttemptHttp = {
  readonly __typename?: 'AttemptHttp';
  /** What was sent to the receiver. */
  readonly request: Maybe<AttemptRequest>;
  /** The receiver's response. Null when none came. */
  readonly response: Maybe<AttemptResponse>;
};

/** What was sent to the receiver. A field is null when the platform did not send it. */
export type AttemptRequest = {
  readonly __typename?: 'AttemptRequest';
  /** Headers that were sent, in order. The platform cuts the list at 10 kB. An item is null when it could not be read. */
  readonly headers: Maybe<ReadonlyArray<Maybe<HttpHeader>>>;
  /**
   * Address to which the event was sent. User information in it (`https://user:password@host`) reads `[redacted]`, unless the gateway runs with
   * `EXPOSE_SECRETS=true`. Example: `"https://hooks.example.com/voice"`
   */
  readonly url: Maybe<Scalars['String']['output']>;
};

/** The receiver's response. A field is null when the platform did not send it. */
export type AttemptResponse = {
  readonly __typename?: 'AttemptResponse';
  /** Body of the response as text. The platform cuts it at 10 kB. Example: `"OK"` */
  readonly body: Maybe<Scalars['String']['output']>;
  /** Headers of the response, in order. The platform cuts the list at 10 kB. An item is null when it could not be read. */
  readonly headers: Maybe<ReadonlyArray<Maybe<HttpHeader>>>;
  /** HTTP status. Example: `200` */
  readonly status: Maybe<Scalars['Int']['output']>;
};

/** The charges of an account for a period of at most 31 days, by phone number. A field is null when the platform did not send it. */
export type ChargesBreakdown = {
  readonly __typename?: 'ChargesBreakdown';
  /** Code of the currency of all costs here. Example: `"USD"` */
  readonly currency: Maybe<Scalars['String']['output']>;
  /** Day after the last day of the period: its own charges are not included. Example: `"2026-11-01"` */
  readonly endDate: Maybe<Scalars['Date']['output']>;
  /** The phone numbers that were charged, one result each. A report may hold tens of thousands. Null when the platform sent no list of results. */
  readonly results: Maybe<ChargesBreakdownResultConnection>;
  /** First day of the period. Example: `"2026-10-01"` */
  readonly startDate: Maybe<Scalars['Date']['output']>;
  /**
   * What the phone numbers cost together, by kind of cost and by owner: exact sums, of which no digit is lost. They take no call of their
   * own. Null when the platform sent no list of results.
   * Example: `{ cost: "1821.50", byCostType: [{ costType: "MRC", cost: "1800.00" }, { costType: "OTC", cost: "21.50" }] }`
   */
  readonly totals: Maybe<ChargesBreakdownTotals>;
  /** E-mail address of the user. Example: `"billing@example.com"` */
  readonly userEmail: Maybe<Scalars['String']['output']>;
  /** Identifier of the user whose charges these are, usually a UUID. */
  readonly userId: Maybe<Scalars['ID']['output']>;
};


/** The charges of an account for a period of at most 31 days, by phone number. A field is null when the platform did not send it. */
export type ChargesBreakdownResultsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  filter?: InputMaybe<ChargesBreakdownResultFilter>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
  offset?: InputMaybe<Scalars['Int']['input']>;
  orderBy?: InputMaybe<ChargesBreakdownResultOrder>;
};


/** The charges of an account for a period of at most 31 days, by phone number. A field is null when the platform did not send it. */
export type ChargesBreakdownTotalsArgs = {
  filter?: InputMaybe<ChargesBreakdownResultFilter>;
};

/** A charges breakdown as CSV. */
export type ChargesBreakdownCsv = {
  readonly __typename?: 'ChargesBreakdownCsv';
  /** The whole report as CSV text, as the platform wrote it. For a large report, download `url` instead of selecting this. */
  readonly content: Scalars['String']['output'];
  /**
   * Path on this gateway at which the same report can be downloaded as a stream, with the same bearer key.
   * Example: `"/exports/charges-breakdown.csv?startDate=2026-10-01&endDate=2026-11-01"`
   */
  readonly url: Scalars['String']['output'];
};

/** The charges of one phone number. A field is null when the platform did not send it. */
export type ChargesBreakdownResult = {
  readonly __typename?: 'ChargesBreakdownResult';
  /** Category of the number's charge. The set of values is open. Example: `"local"` */
  readonly chargeType: Maybe<Scalars['String']['output']>;
  /**
   * The exact sum of the costs of all services, of which no digit is lost. Null when the platform sent no list of services, or left out
   * one of the costs; an error when one of them could not be read, because nobody knows the sum then. Example: `"1.50"`
   */
  readonly cost: Maybe<Scalars['Decimal']['output']>;
  /** E-mail address of the user who owns the service. Example: `"owner@example.com"` */
  readonly serviceOwnerEmail: Maybe<Scalars['String']['output']>;
  /** Identifier of the user who owns the service, usually a UUID. */
  readonly serviceOwnerUserId: Maybe<Scalars['ID']['output']>;
  /** What the number was charged for. An item is null when it could not be read. */
  readonly services: Maybe<ReadonlyArray<Maybe<ServiceCharge>>>;
  /** The phone number, in E.164 style with a leading plus. Example: `"+13125550123"` */
  readonly tn: Maybe<Scalars['String']['output']>;
};

/** A page of the phone numbers of a charges breakdown: 20 of them unless `first` or `last` says otherwise, at most 500. */
export type ChargesBreakdownResultConnection = {
  readonly __typename?: 'ChargesBreakdownResultConnection';
  /** The results of this page, each with its cursor. */
  readonly edges: ReadonlyArray<ChargesBreakdownResultEdge>;
  /** The results of this page, without cursors. An item is null when the platform sent nothing in its place. */
  readonly nodes: ReadonlyArray<Maybe<ChargesBreakdownResult>>;
  /** How many items of the whole list come before this page, so that its first item is number `offset + 1`. Null when it is not known. */
  readonly offset: Maybe<Scalars['Int']['output']>;
  /** Where this page stands in the report. */
  readonly pageInfo: PageInfo;
  /** Number of results in the whole report, after the filter. Null when it is not known. */
  readonly totalCount: Maybe<Scalars['Int']['output']>;
};

/** One result of a page, with its cursor. */
export type ChargesBreakdownResultEdge = {
  readonly __typename?: 'ChargesBreakdownResultEdge';
  /** Opaque cursor of this item, for `after` and `before`. */
  readonly cursor: Scalars['String']['output'];
  /** The result. Null when the platform sent nothing in its place. */
  readonly node: Maybe<ChargesBreakdownResult>;
};

/** Which results of a charges breakdown to list. A condition that is left out matches everything; all that are given must match. */
export type ChargesBreakdownResultFilter = {
  /** Matches the category of the number's charge. Example: `{ eq: "local" }` */
  readonly chargeType?: InputMaybe<EqualsFilter>;
  /** Matches the e-mail address of the user who owns the service. Example: `{ eq: "owner@example.com" }` */
  readonly serviceOwnerEmail?: InputMaybe<EqualsFilter>;
  /** Matches a part of the phone number, character by character. Example: `{ contains: "+1312" }` */
  readonly tn?: InputMaybe<ContainsFilter>;
};

/** The order of the results of a charges breakdown. Equal ones stay in the order of the report. Example: `{ field: COST, direction: DESC }` */
export type ChargesBreakdownResultOrder = {
  /** The direction of the sort. Default: ascending. */
  readonly direction?: OrderDirection;
  /** What to sort by. */
  readonly field: ChargesBreakdownResultOrderField;
};

/** What the results of a charges breakdown can be sorted by. Results whose value is not known come last in either direction. */
export type ChargesBreakdownResultOrderField =
  /** By `cost`, exactly. */
  | 'COST'
  /** By `tn`, character by character. */
  | 'TN';

/**
 * What phone numbers cost together. A sum is null when the platform left out one of its costs, and an error when one of them could not be
 * read, because nobody knows the sum then.
 */
export type ChargesBreakdownTotals = {
  readonly __typename?: 'ChargesBreakdownTotals';
  /**
   * The same by kind of cost, the largest sum first. Null when the platform sent no list of services for one of the numbers. More than
   * 500 kinds are an error. Example: `[{ costType: "MRC", cost: "1800.00" }]`
   */
  readonly byCostType: Maybe<ReadonlyArray<CostTypeTotal>>;
  /**
   * The same by owner of the service, the largest sum first. More than 500 owners are an error: ask for some of them by
   * `filter.serviceOwnerEmail`. Example: `[{ serviceOwnerEmail: "owner@example.com", cost: "1821.50" }]`
   */
  readonly byServiceOwner: Maybe<ReadonlyArray<ServiceOwnerTotal>>;
  /** The sum of all costs. Example: `"1821.50"` */
  readonly cost: Maybe<Scalars['Decimal']['output']>;
};

/**
 * What a month may cost: the middle, the least and the greatest of what the last complete months have cost, and no more than that. It knows
 * nothing of orders, prices or seasons.
 */
export type ChargesForecast = {
  readonly __typename?: 'ChargesForecast';
  /** Code of the currency of all amounts here. Example: `"USD"` */
  readonly currency: Scalars['String']['output'];
  /** First day of the month after. Example: `"2027-01-01"` */
  readonly endDate: Scalars['Date']['output'];
  /** The median of the grand totals: of an even number of months, the exact mean of the two in the middle. Example: `"4690.12"` */
  readonly expected: Scalars['Decimal']['output'];
  /** The greatest of the grand totals. Example: `"4801.33"` */
  readonly high: Scalars['Decimal']['output'];
  /** The least of the grand totals. Example: `"4512.70"` */
  readonly low: Scalars['Decimal']['output'];
  /** How many months that is taken from. Example: `6` */
  readonly months: Scalars['Int']['output'];
  /** First day of the month. Example: `"2026-12-01"` */
  readonly startDate: Scalars['Date']['output'];
};

/** The charges of a range of months, by service. Selecting `months` without `summary` makes no call to the platform. */
export type ChargesHistoryByService = {
  readonly __typename?: 'ChargesHistoryByService';
  /** Code of the currency of all amounts. Null when the months differ in their currency, and null with an error when no month could be read. */
  readonly currency: Maybe<Scalars['String']['output']>;
  /**
   * The exact sum of the grand totals of the months: what the range cost. Null when the months differ in their currency, and null with an
   * error when one could not be read. Example: `"3124.90"`
   */
  readonly grandTotal: Maybe<Scalars['Decimal']['output']>;
  /** The calendar months of the range, in order. The first and the last may be parts of a month. */
  readonly months: ReadonlyArray<ChargesMonth>;
  /**
   * The services that were charged in any of the months, each once by its alias. Null with an error when no month could be read, or
   * when one could not be read and the others have no services. Example: `services(first: 3, orderBy: TOTAL) { name total }`
   */
  readonly services: Maybe<ReadonlyArray<ServiceHistory>>;
};


/** The charges of a range of months, by service. Selecting `months` without `summary` makes no call to the platform. */
export type ChargesHistoryByServiceServicesArgs = {
  first?: InputMaybe<Scalars['Int']['input']>;
  orderBy?: InputMaybe<ServiceHistoryOrder>;
};

/** One calendar month of a range, or the part of it that lies in the range. Its dates need no call to the platform. */
export type ChargesMonth = {
  readonly __typename?: 'ChargesMonth';
  /** Day after the last day. Example: `"2026-11-01"` */
  readonly endDate: Scalars['Date']['output'];
  /** First day. Example: `"2026-10-01"` */
  readonly startDate: Scalars['Date']['output'];
  /** The month's charges in brief. Null with an error when this month could not be read. */
  readonly summary: Maybe<ChargesSummary>;
};

/** The charges of an account for a period of at most 31 days, in brief. */
export type ChargesSummary = {
  readonly __typename?: 'ChargesSummary';
  /**
   * How the cost of each service differs from the period before, the largest difference first, up or down. Services that came or went
   * are there as well, with `"0"` where they were not. The changes add up to the difference between the lines of both periods.
   * Null where there is no period before; null with the error `UNPROCESSABLE_ENTITY` where the two are in different currencies.
   */
  readonly changes: Maybe<ReadonlyArray<ServiceChange>>;
  /** Code of the currency of all amounts here. Example: `"USD"` */
  readonly currency: Scalars['String']['output'];
  /** Day after the last day of the period: its own charges are not included. Example: `"2026-11-01"` */
  readonly endDate: Scalars['Date']['output'];
  /** Whether the period has ended, by UTC. The charges of a period that has not ended are those until now. */
  readonly isComplete: Scalars['Boolean']['output'];
  /**
   * The period before this one, for comparison. When this period runs from a day of one month to the same day of the next, it is
   * the month before; otherwise it has as many days. Example: for 1 October to 1 November it is 1 September to 1 October. Null
   * before the year 0000.
   */
  readonly previous: Maybe<ChargesSummary>;
  /** First day of the period. Example: `"2026-10-01"` */
  readonly startDate: Scalars['Date']['output'];
  /** The lines and adjustments that make up the totals. */
  readonly summary: Summary;
  /** The totals of the period. */
  readonly total: TotalSummary;
  /** E-mail address of the user. Example: `"billing@example.com"` */
  readonly userEmail: Scalars['String']['output'];
  /** Identifier of the user whose charges these are, usually a UUID. */
  readonly userId: Scalars['ID']['output'];
};

/** The charges of a service, with what is new in the period apart from what existed before. */
export type ComparativeLine = ServiceLine & {
  readonly __typename?: 'ComparativeLine';
  /** Alias of the service, an alternative to its name. Example: `"phone_numbers"` */
  readonly alias: Scalars['String']['output'];
  /** The exact sum of all recurring and one-time charges, new and existing. Example: `"243.50"` */
  readonly amount: Scalars['Decimal']['output'];
  /** What existed before the period and was charged again. */
  readonly existingThisMonth: MonthDetail;
  /** Name of the service. Example: `"Phone Numbers"` */
  readonly name: Scalars['String']['output'];
  /** What was added in the period. */
  readonly newThisMonth: MonthDetail;
  /** The shape of the line: always `"comparative"`. */
  readonly type: Scalars['String']['output'];
};

/** Matches the name of a connection, by either `eq` or `contains`. */
export type ConnectionNameFilter = {
  /** A part of the name, in any case: at least three characters. Example: `"office"` */
  readonly contains?: InputMaybe<Scalars['String']['input']>;
  /**
   * The exact name. One with a comma, or `null`, which the platform would read otherwise, is looked for in the whole list, as far as a
   * search goes. Example: `"Head office"`
   */
  readonly eq?: InputMaybe<Scalars['String']['input']>;
};

/** Matches texts that contain a given part. */
export type ContainsFilter = {
  /** The part that must occur. Example: `"example.com"` */
  readonly contains?: InputMaybe<Scalars['String']['input']>;
};

/** What the services of one kind of cost sum up to. */
export type CostTypeTotal = {
  readonly __typename?: 'CostTypeTotal';
  /** The sum of the costs of this kind. Example: `"1800.00"` */
  readonly cost: Maybe<Scalars['Decimal']['output']>;
  /** Kind of cost, as `ServiceCharge.costType`. Null for services without one. Example: `"MRC"` */
  readonly costType: Maybe<Scalars['String']['output']>;
};

/**
 * Matches moments between two bounds, which are included. A bound that is left out matches everything on its side. `gte` cannot be later than
 * `lte`. Bounds are sent in whole milliseconds, rounded outwards.
 */
export type DateTimeRangeFilter = {
  /** At this moment or later. Example: `"2026-10-01T00:00:00Z"` */
  readonly gte?: InputMaybe<Scalars['DateTime']['input']>;
  /** At this moment or earlier. Example: `"2026-10-31T23:59:59Z"` */
  readonly lte?: InputMaybe<Scalars['DateTime']['input']>;
};

/** A delivery that has appeared, the oldest first. Each comes once, but for those that a resumption may repeat. */
export type DeliveryArrived = {
  readonly __typename?: 'DeliveryArrived';
  /** Behind this delivery a feed goes on that gets it as `after`. It is opaque. Example: `1.20261101000000000000.Y2Fm5Q0x.h7Jw2lQz` */
  readonly cursor: Maybe<Scalars['String']['output']>;
  /** The delivery. */
  readonly delivery: WebhookDelivery;
};

/** The deliveries that began within an hour, a day or a week. The first and the last bucket are as much of that as lies in the range. */
export type DeliveryBucket = {
  readonly __typename?: 'DeliveryBucket';
  /** How many there are of each status that was asked for, in that order. It takes one call for each of them. */
  readonly byStatus: ReadonlyArray<DeliveryStatusCount>;
  /** The end. What begins then is in the next bucket; in the last bucket it is included, as it is in the range. Example: `"2026-10-02T00:00:00Z"` */
  readonly end: Scalars['DateTime']['output'];
  /** The beginning, included. Example: `"2026-10-01T00:00:00Z"` */
  readonly start: Scalars['DateTime']['output'];
  /** How many there are, whatever their status. It takes one call for each bucket. Example: `412` */
  readonly total: Scalars['Int']['output'];
};

/** How many webhook deliveries began when, as the platform counts them. None of them is read. */
export type DeliveryCounts = {
  readonly __typename?: 'DeliveryCounts';
  /**
   * The range, cut at the ends of hours, days or weeks: in order, without a gap, each delivery in one bucket. A delivery without a time is in
   * none.
   */
  readonly buckets: ReadonlyArray<DeliveryBucket>;
};

/**
 * Deliveries whose newest attempt went to one address and ended in one way. A field is null when the platform did not send it, and when it could
 * not be read.
 */
export type DeliveryFailureGroup = {
  readonly __typename?: 'DeliveryFailureGroup';
  /**
   * The address without its query, fragment and user, which may hold a secret or differ each time. Example:
   * `"https://hooks.example.com/voice"`
   */
  readonly address: Maybe<Scalars['String']['output']>;
  /** How many deliveries this is. Example: `26` */
  readonly count: Scalars['Int']['output'];
  /** The first of the platform's error codes. Example: `75001` */
  readonly errorCode: Maybe<Scalars['Int']['output']>;
  /** The HTTP status of the receiver's response. Null also when none came. Example: `503` */
  readonly httpStatus: Maybe<Scalars['Int']['output']>;
  /** The one that began last. */
  readonly newest: WebhookDelivery;
  /** The status of the deliveries as a whole. Example: `"failed"` */
  readonly status: Maybe<Scalars['String']['output']>;
  /** What that error means, where the platform sent a text with it. Example: `"Connection failed"` */
  readonly title: Maybe<Scalars['String']['output']>;
};

/** Webhook deliveries that failed, grouped by where they went and how that ended. */
export type DeliveryFailures = {
  readonly __typename?: 'DeliveryFailures';
  /** How many deliveries were read, the newest ones. With `connectionId`, those of other connections are among them. Example: `720` */
  readonly examined: Scalars['Int']['output'];
  /** The groups, the largest first; of two of one size, the one with the newer delivery. No more than `first`, of all deliveries that were read. */
  readonly groups: ReadonlyArray<DeliveryFailureGroup>;
  /** Whether these are all that match. Otherwise there are more than one search may read, and counts are of the newest ones alone. */
  readonly isWhole: Scalars['Boolean']['output'];
};

/** An event of `deliveryFeed`. */
export type DeliveryFeedEvent = DeliveryArrived | FeedStateChanged;

/** How many deliveries have a status. */
export type DeliveryStatusCount = {
  readonly __typename?: 'DeliveryStatusCount';
  /** How many there are. Example: `26` */
  readonly count: Scalars['Int']['output'];
  /** The status, as it was asked for. Example: `"failed"` */
  readonly status: Scalars['String']['output'];
};

/** Matches texts that are the same as a given one, in the same case. */
export type EqualsFilter = {
  /** The whole text. Example: `"local"` */
  readonly eq?: InputMaybe<Scalars['String']['input']>;
};

/** Whether a feed has news of its list. */
export type FeedState =
  /** The list is read every few seconds: without an event there is no new delivery. */
  | 'LIVE'
  /** The platform cannot be read. It is tried again, and deliveries that appear meanwhile are sent later. */
  | 'PAUSED';

/** The beginning of a state: the first event of each feed, and one for each change. */
export type FeedStateChanged = {
  readonly __typename?: 'FeedStateChanged';
  /** Where the feed stands, as for a delivery; null where the platform could not be read yet. */
  readonly cursor: Maybe<Scalars['String']['output']>;
  /** True where deliveries may have appeared that the feed does not send, since too many came during a pause: read the list again. */
  readonly missed: Scalars['Boolean']['output'];
  /** Why the feed is paused: the `code` of the error that reading has. Null while it is live. Example: `UPSTREAM_TIMEOUT` */
  readonly reason: Maybe<Scalars['String']['output']>;
  /** When the state began. Example: `2026-11-01T00:00:00.000Z` */
  readonly since: Scalars['DateTime']['output'];
  /** Whether deliveries are coming. */
  readonly state: FeedState;
};

/** One header line of an HTTP request or response. */
export type HttpHeader = {
  readonly __typename?: 'HttpHeader';
  /** Header name as the platform recorded it. Spaces around it are dropped when the platform sent name and value as one text. Example: `"Content-Type"` */
  readonly name: Maybe<Scalars['String']['output']>;
  /**
   * Header value as the platform recorded it; null when there was only a name. Example: `"application/json"`
   * Values of `Authorization`, `Proxy-Authorization`, `Cookie`, `Set-Cookie` and `X-Api-Key` read `[redacted]` unless the
   * gateway is run with `EXPOSE_SECRETS=true`.
   */
  readonly value: Maybe<Scalars['String']['output']>;
};

/** The length of a bucket, by UTC. */
export type Interval =
  /** From one midnight to the next. */
  | 'DAY'
  /** From one full hour to the next. */
  | 'HOUR'
  /** From one Monday's midnight to the next, as ISO 8601 has it. */
  | 'WEEK';

/**
 * An IP-based SIP connection: how calls between the platform and the account's own equipment are set up, by IP address.
 * A field is null when the platform has no value for it or did not send it.
 */
export type IpConnection = Node & {
  readonly __typename?: 'IpConnection';
  /** Whether the connection is switched on. */
  readonly active: Maybe<Scalars['Boolean']['output']>;
  /** Site through which media is anchored, or `"Latency"` for the fastest one. The set of values is open. Example: `"Chicago, IL"` */
  readonly anchorsiteOverride: Maybe<Scalars['String']['output']>;
  /** Identifier of the credential for push notifications to Android devices, a UUID. Null when none is set. */
  readonly androidPushCredentialId: Maybe<Scalars['ID']['output']>;
  /** Whether webhook events of calls include the cost of the call. */
  readonly callCostInWebhooks: Maybe<Scalars['Boolean']['output']>;
  /** Name that the account gave the connection. Example: `"Head office"` */
  readonly connectionName: Maybe<Scalars['String']['output']>;
  /** When the connection was created. Example: `"2026-01-15T09:30:00Z"` */
  readonly createdAt: Maybe<Scalars['DateTime']['output']>;
  /** Whether comfort noise is played by default to a party on hold. */
  readonly defaultOnHoldComfortNoiseEnabled: Maybe<Scalars['Boolean']['output']>;
  /** How key presses (DTMF digits) are carried. The set of values is open. Example: `"RFC 2833"` */
  readonly dtmfType: Maybe<Scalars['String']['output']>;
  /** Whether the SIP Contact header is encoded. */
  readonly encodeContactHeaderEnabled: Maybe<Scalars['Boolean']['output']>;
  /** How media is encrypted. The set of values is open. Null when no encryption is set. Example: `"SRTP"` */
  readonly encryptedMedia: Maybe<Scalars['String']['output']>;
  /** Identifier of the connection: a UUID, or an integer of 64 bits as text. Example: `"3f0c2c1e-8f6c-4a59-9d3e-5b8a4f1f2a10"` */
  readonly id: Maybe<Scalars['ID']['output']>;
  /** Settings for calls that the connection receives from the platform. */
  readonly inbound: Maybe<IpConnectionInbound>;
  /** Identifier of the credential for push notifications to iOS devices, a UUID. Null when none is set. */
  readonly iosPushCredentialId: Maybe<Scalars['ID']['output']>;
  /** Buffer that evens out the arrival of audio packets. */
  readonly jitterBuffer: Maybe<JitterBuffer>;
  /** Opaque identifier for `node` and for client caches. It also carries data with which this object is found again in fewer calls. */
  readonly nodeId: Scalars['ID']['output'];
  /** Which direction of a call has its noise suppressed. The set of values is open. Example: `"inbound"`, `"both"` or `"disabled"` */
  readonly noiseSuppression: Maybe<Scalars['String']['output']>;
  /** How noise is suppressed. */
  readonly noiseSuppressionDetails: Maybe<NoiseSuppressionDetails>;
  /** Whether T.38 fax passes straight through on calls that stay on the platform's network. */
  readonly onnetT38PassthroughEnabled: Maybe<Scalars['Boolean']['output']>;
  /** Settings for calls that the connection places through the platform. */
  readonly outbound: Maybe<IpConnectionOutbound>;
  /** Kind of record: `"ip_connection"`. */
  readonly recordType: Maybe<Scalars['String']['output']>;
  /** Reports on media quality (RTCP). */
  readonly rtcpSettings: Maybe<RtcpSettings>;
  /** Labels that the account gave the connection. Example: `["office", "emea"]` */
  readonly tags: Maybe<ReadonlyArray<Maybe<Scalars['String']['output']>>>;
  /** Transport of SIP messages. The set of values is open. Example: `"UDP"`, `"TCP"` or `"TLS"` */
  readonly transportProtocol: Maybe<Scalars['String']['output']>;
  /** When the connection was last changed. Example: `"2026-10-02T14:05:11Z"` */
  readonly updatedAt: Maybe<Scalars['DateTime']['output']>;
  /** Version of the payload of webhook events. The set of values is open. Example: `"2"` */
  readonly webhookApiVersion: Maybe<Scalars['String']['output']>;
  /**
   * The deliveries of this connection, newest first: those whose event names it in its payload (`connection_id`), wherever they were sent,
   * and those whose event names none of the account's connections, if they were sent to an address that only this one has.
   * `WebhookDelivery.ipConnection` follows the same rule. `totalCount` is known only on a first page for which the platform's lists
   * were read to their ends.
   */
  readonly webhookDeliveries: Maybe<WebhookDeliveryConnection>;
  /** Address to which events are sent as an alternative to `webhookEventUrl`. Example: `"https://backup.example.com/voice"` */
  readonly webhookEventFailoverUrl: Maybe<Scalars['String']['output']>;
  /** Address to which events of the connection are sent. Example: `"https://hooks.example.com/voice"` */
  readonly webhookEventUrl: Maybe<Scalars['String']['output']>;
  /** Longest wait for a webhook receiver, in seconds. Example: `25` */
  readonly webhookTimeoutSecs: Maybe<Scalars['Int']['output']>;
};


/**
 * An IP-based SIP connection: how calls between the platform and the account's own equipment are set up, by IP address.
 * A field is null when the platform has no value for it or did not send it.
 */
export type IpConnectionWebhookDeliveriesArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  filter?: InputMaybe<WebhookDeliveryFilter>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
};

/** A page of IP connections: 20 of them unless `first` or `last` says otherwise, at most 500. */
export type IpConnectionConnection = {
  readonly __typename?: 'IpConnectionConnection';
  /** The IP connections of this page, each with its cursor. */
  readonly edges: ReadonlyArray<IpConnectionEdge>;
  /** The IP connections of this page, without cursors. An item is null when the platform sent nothing in its place. */
  readonly nodes: ReadonlyArray<Maybe<IpConnection>>;
  /** How many items of the whole list come before this page, so that its first item is number `offset + 1`. Null when it is not known. */
  readonly offset: Maybe<Scalars['Int']['output']>;
  /** Where this page stands in the list. */
  readonly pageInfo: PageInfo;
  /** Number of IP connections in the whole list, after the filter. Null when it is not known. */
  readonly totalCount: Maybe<Scalars['Int']['output']>;
};

/** One IP connection of a page, with its cursor. */
export type IpConnectionEdge = {
  readonly __typename?: 'IpConnectionEdge';
  /** Opaque cursor of this item, for `after` and `before`. */
  readonly cursor: Scalars['String']['output'];
  /** The IP connection. Null when the platform sent nothing in its place. */
  readonly node: Maybe<IpConnection>;
};

/** Which IP connections to list. A condition that is left out matches everything; all that are given must match. */
export type IpConnectionFilter = {
  /**
   * Matches connections that are switched on (`true`) or off (`false`). The platform has no such filter: the list is read through, as
   * far as a search goes. Example: `false`
   */
  readonly active?: InputMaybe<Scalars['Boolean']['input']>;
  /** Matches the name of the connection. */
  readonly connectionName?: InputMaybe<ConnectionNameFilter>;
  /** Matches the fully qualified domain name: the whole name, case-sensitively. Example: `"sip.example.com"` */
  readonly fqdn?: InputMaybe<Scalars['String']['input']>;
  /** Matches the outbound settings of the connection. Example: `{ outboundVoiceProfileId: "1293384261075731499" }` */
  readonly outbound?: InputMaybe<IpConnectionOutboundFilter>;
  /**
   * Matches the identifier of the outbound voice profile, as `outbound.outboundVoiceProfileId` does. Example: `"1293384261075731499"`
   * @deprecated Use `outbound: { outboundVoiceProfileId: "1293384261075731499" }`, which names the field where connections have it. Both go on working.
   */
  readonly outboundVoiceProfileId?: InputMaybe<Scalars['String']['input']>;
  /** Matches the tags of the connection. The list is read through, as for `active`. Example: `{ contains: "production" }` */
  readonly tags?: InputMaybe<TagsFilter>;
};

/** Settings for calls that a connection receives from the platform. A field is null when the platform did not send it. */
export type IpConnectionInbound = {
  readonly __typename?: 'IpConnectionInbound';
  /** Format of the calling number. The set of values is open. */
  readonly aniNumberFormat: Maybe<Scalars['String']['output']>;
  /** Highest number of calls received at the same time. Null when no limit is set. Example: `10` */
  readonly channelLimit: Maybe<Scalars['Int']['output']>;
  /** Codecs that may be used. The set of values is open. Example: `["G722", "G711U"]` */
  readonly codecs: Maybe<ReadonlyArray<Maybe<Scalars['String']['output']>>>;
  /** Identifier of the IP address to which calls go first. */
  readonly defaultPrimaryIpId: Maybe<Scalars['ID']['output']>;
  /** How calls are spread over the IP addresses. The set of values is open. Example: `"sequential"` or `"round-robin"` */
  readonly defaultRoutingMethod: Maybe<Scalars['String']['output']>;
  /** Identifier of the IP address to which calls go second. Null when none is set. */
  readonly defaultSecondaryIpId: Maybe<Scalars['ID']['output']>;
  /** Identifier of the IP address to which calls go third. Null when none is set. */
  readonly defaultTertiaryIpId: Maybe<Scalars['ID']['output']>;
  /** Format of the called number. The set of values is open. */
  readonly dnisNumberFormat: Maybe<Scalars['String']['output']>;
  /** Whether the platform generates the ringback tone that the caller hears. */
  readonly generateRingbackTone: Maybe<Scalars['Boolean']['output']>;
  /** Whether ISUP headers are sent. */
  readonly isupHeadersEnabled: Maybe<Scalars['Boolean']['output']>;
  /** Whether provisional responses are acknowledged (SIP PRACK). */
  readonly prackEnabled: Maybe<Scalars['Boolean']['output']>;
  /** Whether STIR/SHAKEN caller verification is switched on. */
  readonly shakenStirEnabled: Maybe<Scalars['Boolean']['output']>;
  /** Whether SIP headers are sent in their compact form. */
  readonly sipCompactHeadersEnabled: Maybe<Scalars['Boolean']['output']>;
  /** Region from which calls come. The set of values is open. Example: `"US"`, `"Europe"` or `"Australia"` */
  readonly sipRegion: Maybe<Scalars['String']['output']>;
  /** Subdomain at which the connection receives SIP calls. Null when none is set. Example: `"head-office"` */
  readonly sipSubdomain: Maybe<Scalars['String']['output']>;
  /** Which callers may call the subdomain. The set of values is open. */
  readonly sipSubdomainReceiveSettings: Maybe<Scalars['String']['output']>;
  /** Longest wait for a provisional (1xx) SIP response, in seconds. Example: `3` */
  readonly timeout1xxSecs: Maybe<Scalars['Int']['output']>;
  /** Longest wait for a final (2xx) SIP response, in seconds. Example: `90` */
  readonly timeout2xxSecs: Maybe<Scalars['Int']['output']>;
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

/** Settings for calls that a connection places through the platform. A field is null when the platform did not send it. */
export type IpConnectionOutbound = {
  readonly __typename?: 'IpConnectionOutbound';
  /** Calling number to show instead of the one that the equipment sends. Example: `"+13125550123"` */
  readonly aniOverride: Maybe<Scalars['String']['output']>;
  /** When `aniOverride` applies. The set of values is open. */
  readonly aniOverrideType: Maybe<Scalars['String']['output']>;
  /** Whether calls may be parked. */
  readonly callParkingEnabled: Maybe<Scalars['Boolean']['output']>;
  /** Highest number of calls placed at the same time. Null when no limit is set. Example: `10` */
  readonly channelLimit: Maybe<Scalars['Int']['output']>;
  /** Whether the platform generates the ringback tone that the caller hears. */
  readonly generateRingbackTone: Maybe<Scalars['Boolean']['output']>;
  /** Whether ringback starts at once, before the called party's own. */
  readonly instantRingbackEnabled: Maybe<Scalars['Boolean']['output']>;
  /** How calls are recognized as those of this connection. The set of values is open. Example: `"token"` */
  readonly ipAuthenticationMethod: Maybe<Scalars['String']['output']>;
  /**
   * Secret that identifies calls as those of this connection. Always null unless the gateway is run with `EXPOSE_SECRETS=true`.
   * `ipAuthenticationTokenSet` shows whether a secret is set.
   */
  readonly ipAuthenticationToken: Maybe<Scalars['String']['output']>;
  /** Whether a secret is set in `ipAuthenticationToken`. It is shown even when the secret itself is not. */
  readonly ipAuthenticationTokenSet: Maybe<Scalars['Boolean']['output']>;
  /** Country whose conventions apply to dialled numbers, as a two-letter code. Example: `"US"` */
  readonly localization: Maybe<Scalars['String']['output']>;
  /** Identifier of the outbound voice profile that calls use: an integer too large for a double, as text. Example: `"1293384261075731499"` */
  readonly outboundVoiceProfileId: Maybe<Scalars['ID']['output']>;
  /** Which side asks for the change to T.38 fax. The set of values is open. Example: `"customer"` or `"caller-passthru"` */
  readonly t38ReinviteSource: Maybe<Scalars['String']['output']>;
  /** Prefix of dialled numbers that identifies calls as those of this connection. Example: `"0123"` */
  readonly techPrefix: Maybe<Scalars['String']['output']>;
};

/** Matches the outbound settings of a connection. */
export type IpConnectionOutboundFilter = {
  /** Matches the identifier of the outbound voice profile in these settings. Example: `"1293384261075731499"` */
  readonly outboundVoiceProfileId?: InputMaybe<Scalars['String']['input']>;
};

/** Buffer that evens out the arrival of audio packets. A field is null when the platform did not send it. */
export type JitterBuffer = {
  readonly __typename?: 'JitterBuffer';
  /** Whether the buffer is used. */
  readonly enableJitterBuffer: Maybe<Scalars['Boolean']['output']>;
  /** Largest size of the buffer, in milliseconds. Example: `200` */
  readonly jitterbufferMsecMax: Maybe<Scalars['Int']['output']>;
  /** Smallest size of the buffer, in milliseconds. Example: `60` */
  readonly jitterbufferMsecMin: Maybe<Scalars['Int']['output']>;
};

/** An AI mission: a task described in words that a model carries out. A field is null when the platform did not send it. */
export type Mission = Node & {
  readonly __typename?: 'Mission';
  /** When the mission was created. Example: `"2026-01-15T09:30:00Z"` */
  readonly createdAt: Maybe<Scalars['DateTime']['output']>;
  /** What the mission is for, in words. Example: `"Calls patients the day before"` */
  readonly description: Maybe<Scalars['String']['output']>;
  /** Identifier of the mission, a UUID. Example: `"0b9f7c52-6a0e-4c57-8e6f-1d2a3b4c5d6e"` */
  readonly id: Maybe<Scalars['ID']['output']>;
  /** Instructions that the model follows. Example: `"Confirm the appointment and offer two other times."` */
  readonly instructions: Maybe<Scalars['String']['output']>;
  /** Free-form data that the account keeps with the mission. Example: `{ "team": "support" }` */
  readonly metadata: Maybe<Scalars['JSONObject']['output']>;
  /** Name of the language model that carries out the mission. The set of values is open. */
  readonly model: Maybe<Scalars['String']['output']>;
  /** Name of the mission. Example: `"Appointment reminders"` */
  readonly name: Maybe<Scalars['String']['output']>;
  /** Opaque identifier for `node` and for client caches. */
  readonly nodeId: Scalars['ID']['output'];
  /** When the mission was last changed. Example: `"2026-10-02T14:05:11Z"` */
  readonly updatedAt: Maybe<Scalars['DateTime']['output']>;
};

/** A page of missions: 20 of them unless `first` or `last` says otherwise, at most 500. */
export type MissionConnection = {
  readonly __typename?: 'MissionConnection';
  /** The missions of this page, each with its cursor. */
  readonly edges: ReadonlyArray<MissionEdge>;
  /** The missions of this page, without cursors. An item is null when the platform sent nothing in its place. */
  readonly nodes: ReadonlyArray<Maybe<Mission>>;
  /** How many items of the whole list come before this page, so that its first item is number `offset + 1`. Null when it is not known. */
  readonly offset: Maybe<Scalars['Int']['output']>;
  /** Where this page stands in the list. */
  readonly pageInfo: PageInfo;
  /** Number of missions in the whole list. Null when it is not known. */
  readonly totalCount: Maybe<Scalars['Int']['output']>;
};

/** One mission of a page, with its cursor. */
export type MissionEdge = {
  readonly __typename?: 'MissionEdge';
  /** Opaque cursor of this item, for `after` and `before`. */
  readonly cursor: Scalars['String']['output'];
  /** The mission. Null when the platform sent nothing in its place. */
  readonly node: Maybe<Mission>;
};

/** Quantity and charges of one half of a comparative line. */
export type MonthDetail = {
  readonly __typename?: 'MonthDetail';
  /** Monthly recurring charge, in the currency of the summary. Example: `"12.00"` */
  readonly mrc: Scalars['Decimal']['output'];
  /** One-time charge, in the currency of the summary. Null when there is none. Example: `"1.50"` */
  readonly otc: Maybe<Scalars['Decimal']['output']>;
  /** Number of items charged. Example: `12` */
  readonly quantity: Scalars['Int']['output'];
};

/** An object that can be read again by its `nodeId`, an identifier of this gateway. */
export type Node = {
  /** Opaque identifier, unique across all types. For some types it also carries data with which the object is found in fewer calls. */
  readonly nodeId: Scalars['ID']['output'];
};

/** How noise is suppressed on a connection. A field is null when the platform did not send it. */
export type NoiseSuppressionDetails = {
  readonly __typename?: 'NoiseSuppressionDetails';
  /** Limit of the attenuation of noise: 0 to 100 in steps of 10, as far as is known. Example: `80` */
  readonly attenuationLimit: Maybe<Scalars['Int']['output']>;
  /** Name of the method used. The set of values is open. Example: `"denoiser"` or `"deep_filter_net"` */
  readonly engine: Maybe<Scalars['String']['output']>;
};

/** The direction in which a list is sorted. */
export type OrderDirection =
  /** Smallest, earliest or alphabetically first comes first; `false` before `true`. */
  | 'ASC'
  /** Largest, latest or alphabetically last comes first; `true` before `false`. */
  | 'DESC';

/** Where a page stands in its list, and the cursors with which to read on. */
export type PageInfo = {
  readonly __typename?: 'PageInfo';
  /** Cursor of the last item of this page, for `after`. Null when the page is empty. */
  readonly endCursor: Maybe<Scalars['String']['output']>;
  /** Whether more items follow this page. */
  readonly hasNextPage: Scalars['Boolean']['output'];
  /** Whether items precede this page. */
  readonly hasPreviousPage: Scalars['Boolean']['output'];
  /** Cursor of the first item of this page, for `before`. Null when the page is empty. */
  readonly startCursor: Maybe<Scalars['String']['output']>;
};

/**
 * Everything that can be read. Fields that call the platform need the caller's own key (`Authorization: Bearer <key>`). A field is
 * null, with an error at its path, when it could not be read; the other fields of the same query are not affected.
 */
export type Query = {
  readonly __typename?: 'Query';
  /**
   * The account's charges for a period, by phone number. The platform sends a report as a whole. So each report counts 2,048 of the
   * 20,000 that an operation may cost by default, however little of it is selected.
   */
  readonly chargesBreakdown: Maybe<ChargesBreakdown>;
  /**
   * The same breakdown as CSV text, with an address from which it can be downloaded as a stream. It costs an operation as much as
   * `chargesBreakdown` does.
   */
  readonly chargesBreakdownCsv: Maybe<ChargesBreakdownCsv>;
  /**
   * What a month may cost, by the grand totals of the last complete months before it. It takes one call for each of them. It is null,
   * with an error, when one of them could not be read.
   */
  readonly chargesForecast: Maybe<ChargesForecast>;
  /**
   * The account's charges in brief, month by month, over a range of up to 24 months. There is one entry for each calendar month (or
   * for the part of it that lies in the range), in order. An entry is null, with an error of its own, when that month could not be
   * read. What all of them cost together is `chargesHistoryByService { grandTotal }`.
   */
  readonly chargesHistory: Maybe<ReadonlyArray<Maybe<ChargesSummary>>>;
  /** The same history by service, as a chart needs it: the cost of each service in each month. */
  readonly chargesHistoryByService: Maybe<ChargesHistoryByService>;
  /** The account's charges for a period, in brief: one line per service, adjustments and totals. */
  readonly chargesSummary: Maybe<ChargesSummary>;
  /**
   * How many webhook deliveries began in each hour, day or week of a range. It takes one call for each bucket and status, and one for each
   * `total`: at most 512 together. It is null, with an error, when the platform cannot count: when it tells no totals, or ignores a filter.
   */
  readonly deliveryCounts: Maybe<DeliveryCounts>;
  /**
   * Which webhook deliveries failed, and why: the newest first, as far as one search may read, grouped by address, status of the response and
   * error of the newest attempt. A delivery that succeeded in the end is no failure.
   */
  readonly deliveryFailures: Maybe<DeliveryFailures>;
  /**
   * One connection by its identifier; null when there is none. By default the gateway searches the platform's list for all
   * identifiers of a query together, page by page, up to a limit. `node` with a `nodeId` takes fewer calls.
   */
  readonly ipConnection: Maybe<IpConnection>;
  /** The account's IP-based SIP connections. The most recently created one comes first, unless `orderBy` says otherwise. */
  readonly ipConnections: Maybe<IpConnectionConnection>;
  /** One mission by its identifier; null when there is none. It is found as `ipConnection` is. */
  readonly mission: Maybe<Mission>;
  /** The AI missions of the organization. The platform decides their order; as far as is known, the newest comes first. */
  readonly missions: Maybe<MissionConnection>;
  /** One object by its `nodeId`; null when it no longer exists. */
  readonly node: Maybe<Node>;
  /** Several objects by their `nodeId`, in the order of the argument. An item is null when that object no longer exists. */
  readonly nodes: Maybe<ReadonlyArray<Maybe<Node>>>;
  /**
   * The webhook deliveries of the authenticated user, each with its attempts. The platform decides their order; as far as is known,
   * those that began last come first.
   */
  readonly webhookDeliveries: Maybe<WebhookDeliveryConnection>;
  /** One webhook delivery by its identifier; null when there is none. It is found as `ipConnection` is. */
  readonly webhookDelivery: Maybe<WebhookDelivery>;
};


/**
 * Everything that can be read. Fields that call the platform need the caller's own key (`Authorization: Bearer <key>`). A field is
 * null, with an error at its path, when it could not be read; the other fields of the same query are not affected.
 */
export type QueryChargesBreakdownArgs = {
  endDate?: InputMaybe<Scalars['Date']['input']>;
  startDate: Scalars['Date']['input'];
};


/**
 * Everything that can be read. Fields that call the platform need the caller's own key (`Authorization: Bearer <key>`). A field is
 * null, with an error at its path, when it could not be read; the other fields of the same query are not affected.
 */
export type QueryChargesBreakdownCsvArgs = {
  endDate?: InputMaybe<Scalars['Date']['input']>;
  startDate: Scalars['Date']['input'];
};


/**
 * Everything that can be read. Fields that call the platform need the caller's own key (`Authorization: Bearer <key>`). A field is
 * null, with an error at its path, when it could not be read; the other fields of the same query are not affected.
 */
export type QueryChargesForecastArgs = {
  month: Scalars['Date']['input'];
  months?: InputMaybe<Scalars['Int']['input']>;
};


/**
 * Everything that can be read. Fields that call the platform need the caller's own key (`Authorization: Bearer <key>`). A field is
 * null, with an error at its path, when it could not be read; the other fields of the same query are not affected.
 */
export type QueryChargesHistoryArgs = {
  endDate: Scalars['Date']['input'];
  startDate: Scalars['Date']['input'];
};


/**
 * Everything that can be read. Fields that call the platform need the caller's own key (`Authorization: Bearer <key>`). A field is
 * null, with an error at its path, when it could not be read; the other fields of the same query are not affected.
 */
export type QueryChargesHistoryByServiceArgs = {
  endDate: Scalars['Date']['input'];
  startDate: Scalars['Date']['input'];
};


/**
 * Everything that can be read. Fields that call the platform need the caller's own key (`Authorization: Bearer <key>`). A field is
 * null, with an error at its path, when it could not be read; the other fields of the same query are not affected.
 */
export type QueryChargesSummaryArgs = {
  endDate: Scalars['Date']['input'];
  startDate: Scalars['Date']['input'];
};


/**
 * Everything that can be read. Fields that call the platform need the caller's own key (`Authorization: Bearer <key>`). A field is
 * null, with an error at its path, when it could not be read; the other fields of the same query are not affected.
 */
export type QueryDeliveryCountsArgs = {
  filter?: InputMaybe<WebhookDeliveryFilter>;
  interval: Interval;
  startedAt: DateTimeRangeFilter;
  statuses?: InputMaybe<ReadonlyArray<Scalars['String']['input']>>;
};


/**
 * Everything that can be read. Fields that call the platform need the caller's own key (`Authorization: Bearer <key>`). A field is
 * null, with an error at its path, when it could not be read; the other fields of the same query are not affected.
 */
export type QueryDeliveryFailuresArgs = {
  filter?: InputMaybe<WebhookDeliveryFilter>;
  first?: InputMaybe<Scalars['Int']['input']>;
};


/**
 * Everything that can be read. Fields that call the platform need the caller's own key (`Authorization: Bearer <key>`). A field is
 * null, with an error at its path, when it could not be read; the other fields of the same query are not affected.
 */
export type QueryIpConnectionArgs = {
  id: Scalars['ID']['input'];
};


/**
 * Everything that can be read. Fields that call the platform need the caller's own key (`Authorization: Bearer <key>`). A field is
 * null, with an error at its path, when it could not be read; the other fields of the same query are not affected.
 */
export type QueryIpConnectionsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  filter?: InputMaybe<IpConnectionFilter>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
  offset?: InputMaybe<Scalars['Int']['input']>;
  orderBy?: InputMaybe<IpConnectionOrder>;
};


/**
 * Everything that can be read. Fields that call the platform need the caller's own key (`Authorization: Bearer <key>`). A field is
 * null, with an error at its path, when it could not be read; the other fields of the same query are not affected.
 */
export type QueryMissionArgs = {
  id: Scalars['ID']['input'];
};


/**
 * Everything that can be read. Fields that call the platform need the caller's own key (`Authorization: Bearer <key>`). A field is
 * null, with an error at its path, when it could not be read; the other fields of the same query are not affected.
 */
export type QueryMissionsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
  offset?: InputMaybe<Scalars['Int']['input']>;
};


/**
 * Everything that can be read. Fields that call the platform need the caller's own key (`Authorization: Bearer <key>`). A field is
 * null, with an error at its path, when it could not be read; the other fields of the same query are not affected.
 */
export type QueryNodeArgs = {
  nodeId: Scalars['ID']['input'];
};


/**
 * Everything that can be read. Fields that call the platform need the caller's own key (`Authorization: Bearer <key>`). A field is
 * null, with an error at its path, when it could not be read; the other fields of the same query are not affected.
 */
export type QueryNodesArgs = {
  nodeIds: ReadonlyArray<Scalars['ID']['input']>;
};


/**
 * Everything that can be read. Fields that call the platform need the caller's own key (`Authorization: Bearer <key>`). A field is
 * null, with an error at its path, when it could not be read; the other fields of the same query are not affected.
 */
export type QueryWebhookDeliveriesArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  filter?: InputMaybe<WebhookDeliveryFilter>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
  offset?: InputMaybe<Scalars['Int']['input']>;
};


/**
 * Everything that can be read. Fields that call the platform need the caller's own key (`Authorization: Bearer <key>`). A field is
 * null, with an error at its path, when it could not be read; the other fields of the same query are not affected.
 */
export type QueryWebhookDeliveryArgs = {
  id: Scalars['ID']['input'];
};

/** Reports on media quality (RTCP) of a connection. A field is null when the platform did not send it. */
export type RtcpSettings = {
  readonly __typename?: 'RtcpSettings';
  /** Whether reports are captured. */
  readonly captureEnabled: Maybe<Scalars['Boolean']['output']>;
  /** Where RTCP is received. The set of values is open. Example: `"rtp+1"` for the port after that of the media, or `"rtcp-mux"` */
  readonly port: Maybe<Scalars['String']['output']>;
  /** Time between two reports, in seconds. Example: `10` */
  readonly reportFrequencySecs: Maybe<Scalars['Int']['output']>;
};

/** How the cost of one service differs from the period before. */
export type ServiceChange = {
  readonly __typename?: 'ServiceChange';
  /** Alias of the service. Example: `"phone_numbers"` */
  readonly alias: Scalars['String']['output'];
  /** What all lines of the service cost in the period. Example: `"243.50"` */
  readonly amount: Maybe<Scalars['Decimal']['output']>;
  /** The exact difference; null where one of both could not be read. Example: `"3.50"` */
  readonly change: Maybe<Scalars['Decimal']['output']>;
  /** Name of the service. Example: `"Phone Numbers"` */
  readonly name: Scalars['String']['output'];
  /** What they cost in the period before. Example: `"240.00"` */
  readonly previousAmount: Maybe<Scalars['Decimal']['output']>;
};

/** What one service cost for one phone number. A field is null when the platform did not send it. */
export type ServiceCharge = {
  readonly __typename?: 'ServiceCharge';
  /** Cost per unit, in the currency of the breakdown. A service of one phone number is one unit. Example: `"1.00"` */
  readonly cost: Maybe<Scalars['Decimal']['output']>;
  /** Kind of cost, such as monthly recurring or one-time. The set of values is open. Example: `"MRC"` */
  readonly costType: Maybe<Scalars['String']['output']>;
  /** Name of the service. Example: `"Local Number"` */
  readonly name: Maybe<Scalars['String']['output']>;
};

/** What one service costs, month by month. */
export type ServiceHistory = {
  readonly __typename?: 'ServiceHistory';
  /** Alias of the service. Example: `"phone_numbers"` */
  readonly alias: Scalars['String']['output'];
  /**
   * One amount for each of `months`, in the currency of that month's summary. It is `"0"` when the service was not charged. An item
   * is null when it could not be read; the error of a whole month is reported at the first service only. Example: `["12.00", "12.00", "0"]`
   */
  readonly amounts: ReadonlyArray<Maybe<Scalars['Decimal']['output']>>;
  /** Name of the service in the newest month. Example: `"Phone Numbers"` */
  readonly name: Scalars['String']['output'];
  /**
   * The exact sum of `amounts`: what the months together cost. Null when one of them is not known, and when the months are in several
   * currencies. Example: `"24.00"`
   */
  readonly total: Maybe<Scalars['Decimal']['output']>;
};

/** Orders of the services of a history. */
export type ServiceHistoryOrder =
  /** As they first appear, month by month. */
  | 'FIRST_SEEN'
  /** By `name`, by the code points of its letters. */
  | 'NAME'
  /** By `total`, the largest first. Those of which an amount is not known come last. Months of several currencies are in the order of `FIRST_SEEN`. */
  | 'TOTAL';

/** The charges of one service: the fields that both shapes of a `SummaryLine` have. */
export type ServiceLine = {
  /** Alias of the service, an alternative to its name. Example: `"phone_numbers"` */
  readonly alias: Scalars['String']['output'];
  /** What the service costs in the period, in the currency of the summary. Example: `"4.80"` */
  readonly amount: Scalars['Decimal']['output'];
  /** Name of the service. Example: `"Phone Numbers"` */
  readonly name: Scalars['String']['output'];
  /** The shape of the line: `"comparative"` or `"simple"`. */
  readonly type: Scalars['String']['output'];
};

/** What the services of one owner sum up to. */
export type ServiceOwnerTotal = {
  readonly __typename?: 'ServiceOwnerTotal';
  /** The sum of the costs of this owner's numbers. Example: `"1821.50"` */
  readonly cost: Maybe<Scalars['Decimal']['output']>;
  /** E-mail address of the user who owns the services. Null for numbers without one. Example: `"owner@example.com"` */
  readonly serviceOwnerEmail: Maybe<Scalars['String']['output']>;
  /** Identifier of the user who owns the services, usually a UUID. Null for numbers without one. */
  readonly serviceOwnerUserId: Maybe<Scalars['ID']['output']>;
};

/** The charges of a service, as a number of items and one amount. */
export type SimpleLine = ServiceLine & {
  readonly __typename?: 'SimpleLine';
  /** Alias of the service, an alternative to its name. Example: `"number_lookups"` */
  readonly alias: Scalars['String']['output'];
  /** Total amount, in the currency of the summary. Example: `"4.80"` */
  readonly amount: Scalars['Decimal']['output'];
  /** Name of the service. Example: `"Number Lookups"` */
  readonly name: Scalars['String']['output'];
  /** Number of items charged. Example: `120` */
  readonly quantity: Scalars['Int']['output'];
  /** The shape of the line: always `"simple"`. */
  readonly type: Scalars['String']['output'];
};

/**
 * Everything that can be followed, over server-sent events (`Accept: text/event-stream`). A stream needs the caller's own key
 * (`Authorization: Bearer <key>`). It waits while the platform is down or limits the rate of calls. When it cannot go on, its last
 * event is an error. Each event has an id: a client that has lost its connection sends the last one as `Last-Event-ID`, and the
 * stream goes on from there.
 */
export type Subscription = {
  readonly __typename?: 'Subscription';
  /**
   * The same deliveries with a cursor each, and the state of the feed. A client that has lost its stream passes the last cursor as `after`,
   * over any transport and through any router, and misses nothing. The first event is a state. A page asks for a list behind it, and adds to
   * that list what arrives: the list has all that appeared until then.
   * Example: `subscription { deliveryFeed { ... on DeliveryArrived { cursor delivery { id } } ... on FeedStateChanged { state cursor } } }`
   */
  readonly deliveryFeed: DeliveryFeedEvent;
  /**
   * The webhook deliveries that appear from now on, oldest first. Each comes once; after a resumption some may come again if more
   * than 250 began within the overlap of a minute. Deliveries that were listed when the response began are
   * not sent. A delivery that is listed late is sent as long as it began at most a minute (by default) before the newest one. The
   * gateway polls the list every few seconds, once for all clients with the same key and filter.
   * Example: `subscription { webhookDeliveries(filter: { status: { eq: "failed" } }) { id startedAt } }`
   */
  readonly webhookDeliveries: WebhookDelivery;
};


/**
 * Everything that can be followed, over server-sent events (`Accept: text/event-stream`). A stream needs the caller's own key
 * (`Authorization: Bearer <key>`). It waits while the platform is down or limits the rate of calls. When it cannot go on, its last
 * event is an error. Each event has an id: a client that has lost its connection sends the last one as `Last-Event-ID`, and the
 * stream goes on from there.
 */
export type SubscriptionDeliveryFeedArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  filter?: InputMaybe<WebhookDeliveryFilter>;
};


/**
 * Everything that can be followed, over server-sent events (`Accept: text/event-stream`). A stream needs the caller's own key
 * (`Authorization: Bearer <key>`). It waits while the platform is down or limits the rate of calls. When it cannot go on, its last
 * event is an error. Each event has an id: a client that has lost its connection sends the last one as `Last-Event-ID`, and the
 * stream goes on from there.
 */
export type SubscriptionWebhookDeliveriesArgs = {
  filter?: InputMaybe<WebhookDeliveryFilter>;
};

/** What the totals of a charges summary are made of. */
export type Summary = {
  readonly __typename?: 'Summary';
  /** Corrections to the account within the period. An item is null, with an error at its path, when it could not be read. */
  readonly adjustments: ReadonlyArray<Maybe<AdjustmentLine>>;
  /** One line per service. An item is null, with an error at its path, when that line could not be read. */
  readonly lines: ReadonlyArray<Maybe<SummaryLine>>;
};

/**
 * The charges of one service, in one of two shapes. Its `type` names the shape. The fields that both shapes have are selected by
 * `ServiceLine`. Example: `lines { ... on ServiceLine { name amount } }`
 */
export type SummaryLine = ComparativeLine | SimpleLine;

/** Matches connections by their tags. */
export type TagsFilter = {
  /** A tag that the connection has, whole and in the same case. Example: `"production"` */
  readonly contains?: InputMaybe<Scalars['String']['input']>;
};

/** The totals of a charges summary, all in its currency. */
export type TotalSummary = {
  readonly __typename?: 'TotalSummary';
  /** Total of the credits, negative when credits apply. Example: `"-5.00"` */
  readonly credits: Scalars['Decimal']['output'];
  /** Total of the existing monthly recurring charges. Example: `"230.00"` */
  readonly existingMrc: Scalars['Decimal']['output'];
  /** Grand total of all charges. Example: `"243.30"` */
  readonly grandTotal: Scalars['Decimal']['output'];
  /** Ledger adjustments. Example: `"0.00"` */
  readonly ledgerAdjustments: Scalars['Decimal']['output'];
  /** Total of the new monthly recurring charges. Example: `"12.00"` */
  readonly newMrc: Scalars['Decimal']['output'];
  /** Total of the new one-time charges. Example: `"1.50"` */
  readonly newOtc: Scalars['Decimal']['output'];
  /** Other charges. Example: `"4.80"` */
  readonly other: Scalars['Decimal']['output'];
};

/**
 * The sending of one event to a webhook address of the account, with every attempt that was made. A field is null when the
 * platform did not send it.
 */
export type WebhookDelivery = Node & {
  readonly __typename?: 'WebhookDelivery';
  /** Number of attempts. Null when the platform sent no list of them. Example: `2` */
  readonly attemptCount: Maybe<Scalars['Int']['output']>;
  /** The attempts, newest first, one for each address tried. An item is null when it could not be read. */
  readonly attempts: Maybe<ReadonlyArray<Maybe<WebhookDeliveryAttempt>>>;
  /**
   * Milliseconds from `startedAt` to `finishedAt`, rounded to the nearest one. Negative when the platform says that the delivery ended
   * before it began. Null when one of the two is missing or is no moment. Example: `1250`
   */
  readonly durationMs: Maybe<Scalars['Int']['output']>;
  /** When the delivery ended. Example: `"2026-10-02T14:05:12Z"` */
  readonly finishedAt: Maybe<Scalars['DateTime']['output']>;
  /** Identifier of the delivery, a UUID. Example: `"7c1d0e9a-52b4-4f7e-8a3f-2e6d9b1c4f58"` */
  readonly id: Maybe<Scalars['ID']['output']>;
  /**
   * The connection that the event names in its payload (`connection_id`). When the event names none of the account's connections: the one
   * that has the address of the newest attempt, or else of another attempt, as its `webhookEventUrl` or `webhookEventFailoverUrl`. Null
   * when no single connection has such an address. `IpConnection.webhookDeliveries` follows the same rule.
   */
  readonly ipConnection: Maybe<IpConnection>;
  /** The attempt that began last, or the first in `attempts` when their times are not known. Null when there is none. */
  readonly newestAttempt: Maybe<WebhookDeliveryAttempt>;
  /** Opaque identifier for `node` and for client caches. It also carries data with which this object is found again in fewer calls. */
  readonly nodeId: Scalars['ID']['output'];
  /** Kind of record: `"webhook_delivery"`. */
  readonly recordType: Maybe<Scalars['String']['output']>;
  /** When the delivery began. Example: `"2026-10-02T14:05:11Z"` */
  readonly startedAt: Maybe<Scalars['DateTime']['output']>;
  /** Result of the delivery as a whole. The set of values is open. Example: `"delivered"` or `"failed"` */
  readonly status: Maybe<Scalars['String']['output']>;
  /** Identifier of the user to whom the delivery belongs, a UUID. */
  readonly userId: Maybe<Scalars['ID']['output']>;
  /** The event that was delivered. */
  readonly webhook: Maybe<WebhookEvent>;
};

/** One try to send an event to one address. A field is null when the platform did not send it. */
export type WebhookDeliveryAttempt = {
  readonly __typename?: 'WebhookDeliveryAttempt';
  /**
   * Milliseconds from `startedAt` to `finishedAt`, rounded to the nearest one. Negative when the platform says that the attempt ended
   * before it began. Null when one of the two is missing or is no moment. Example: `250`
   */
  readonly durationMs: Maybe<Scalars['Int']['output']>;
  /**
   * The same errors with their texts. An error that the platform sent as a code alone has a `code` only, and one that it sent as a text
   * alone a `title` only. The whole list is null when one of them is.
   * Example: `[{ code: 75001, title: "Connection failed", detail: "The receiver did not answer." }]`
   */
  readonly errorDetails: Maybe<ReadonlyArray<AttemptError>>;
  /** The platform's error codes, present on failed attempts. An item is null when it could not be read. Example: `[75001]` */
  readonly errors: Maybe<ReadonlyArray<Maybe<Scalars['Int']['output']>>>;
  /** When the attempt ended. Example: `"2026-10-02T14:05:12Z"` */
  readonly finishedAt: Maybe<Scalars['DateTime']['output']>;
  /** The HTTP exchange with the receiver. */
  readonly http: Maybe<AttemptHttp>;
  /** When the attempt began. Example: `"2026-10-02T14:05:11Z"` */
  readonly startedAt: Maybe<Scalars['DateTime']['output']>;
  /** Result of the attempt. The set of values is open. Example: `"delivered"` or `"failed"` */
  readonly status: Maybe<Scalars['String']['output']>;
};

/** A page of webhook deliveries: 20 of them unless `first` or `last` says otherwise, at most 500. */
export type WebhookDeliveryConnection = {
  readonly __typename?: 'WebhookDeliveryConnection';
  /** The deliveries of this page, each with its cursor. */
  readonly edges: ReadonlyArray<WebhookDeliveryEdge>;
  /** The deliveries of this page, without cursors. An item is null when the platform sent nothing in its place. */
  readonly nodes: ReadonlyArray<Maybe<WebhookDelivery>>;
  /** How many items of the whole list come before this page, so that its first item is number `offset + 1`. Null when it is not known. */
  readonly offset: Maybe<Scalars['Int']['output']>;
  /** Where this page stands in the list. */
  readonly pageInfo: PageInfo;
  /** Number of deliveries in the whole list, after the filter. Null when it is not known. */
  readonly totalCount: Maybe<Scalars['Int']['output']>;
};

/** One webhook delivery of a page, with its cursor. */
export type WebhookDeliveryEdge = {
  readonly __typename?: 'WebhookDeliveryEdge';
  /** Opaque cursor of this item, for `after` and `before`. */
  readonly cursor: Scalars['String']['output'];
  /** The delivery. Null when the platform sent nothing in its place. */
  readonly node: Maybe<WebhookDelivery>;
};

/** Which webhook deliveries to list. A condition that is left out matches everything; all that are given must match. */
export type WebhookDeliveryFilter = {
  /** Matches a part of the attempts, such as an address. Example: `{ contains: "hooks.example.com" }` */
  readonly attempts?: InputMaybe<ContainsFilter>;
  /**
   * Matches the deliveries of one connection, as `IpConnection.webhookDeliveries` lists them, by its `id`. An identifier that is no
   * connection's matches the deliveries whose events name it. Example: `"1293384261075731499"`
   */
  readonly connectionId?: InputMaybe<Scalars['ID']['input']>;
  /** Matches deliveries of any of these event types, in either spelling. Example: `["call_initiated"]`, the same as `["call.initiated"]` */
  readonly eventType?: InputMaybe<ReadonlyArray<Scalars['String']['input']>>;
  /** Matches the time at which the delivery ended. */
  readonly finishedAt?: InputMaybe<DateTimeRangeFilter>;
  /** Matches the time at which the delivery began. */
  readonly startedAt?: InputMaybe<DateTimeRangeFilter>;
  /** Matches the result of the delivery as a whole. */
  readonly status?: InputMaybe<WebhookDeliveryStatusFilter>;
  /** Matches a part of the event that was delivered. Example: `{ contains: "+13125550123" }` */
  readonly webhook?: InputMaybe<ContainsFilter>;
};

/** Matches the status of a webhook delivery. */
export type WebhookDeliveryStatusFilter = {
  /** The exact status, in the same case. The set of values is open. Example: `"delivered"` or `"failed"` */
  readonly eq?: InputMaybe<Scalars['String']['input']>;
};

/** An event as it is sent to webhook addresses. A field is null when the platform did not send it. */
export type WebhookEvent = {
  readonly __typename?: 'WebhookEvent';
  /** What happened. The set of values is open. Example: `"call_initiated"` */
  readonly eventType: Maybe<Scalars['String']['output']>;
  /** Identifier of the event. */
  readonly id: Maybe<Scalars['ID']['output']>;
  /** When it happened. Example: `"2026-10-02T14:05:11Z"` */
  readonly occurredAt: Maybe<Scalars['DateTime']['output']>;
  /** The data of the event; its content depends on `eventType`. Example: `{ "direction": "incoming" }` */
  readonly payload: Maybe<Scalars['JSONObject']['output']>;
  /** Kind of record: `"event"`. */
  readonly recordType: Maybe<Scalars['String']['output']>;
};



export type ResolverTypeWrapper<T> = Promise<T> | T;

export type ReferenceResolver<TResult, TReference, TContext> = (
      reference: TReference,
      context: TContext,
      info: GraphQLResolveInfo
    ) => Promise<TResult> | TResult;

      type ScalarCheck<T, S> = S extends true ? T : NullableCheck<T, S>;
      type NullableCheck<T, S> = Maybe<T> extends T ? Maybe<ListCheck<NonNullable<T>, S>> : ListCheck<T, S>;
      type ListCheck<T, S> = T extends (infer U)[] ? NullableCheck<U, S>[] : GraphQLRecursivePick<T, S>;
      export type GraphQLRecursivePick<T, S> = { [K in keyof T & keyof S]: ScalarCheck<T[K], S[K]> };
    
export type Resolver<TResult, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> = ResolverFn<TResult, TParent, TContext, TArgs>;

export type ResolverFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => Promise<TResult> | TResult;

export type SubscriptionSubscribeFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => AsyncIterable<TResult> | Promise<AsyncIterable<TResult>>;

export type SubscriptionResolveFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => TResult | Promise<TResult>;

export interface SubscriptionSubscriberObject<TResult, TKey extends string, TParent, TContext, TArgs> {
  subscribe: SubscriptionSubscribeFn<{ [key in TKey]: TResult }, TParent, TContext, TArgs>;
  resolve?: SubscriptionResolveFn<TResult, { [key in TKey]: TResult }, TContext, TArgs>;
}

export interface SubscriptionResolverObject<TResult, TParent, TContext, TArgs> {
  subscribe: SubscriptionSubscribeFn<any, TParent, TContext, TArgs>;
  resolve: SubscriptionResolveFn<TResult, any, TContext, TArgs>;
}

export type SubscriptionObject<TResult, TKey extends string, TParent, TContext, TArgs> =
  | SubscriptionSubscriberObject<TResult, TKey, TParent, TContext, TArgs>
  | SubscriptionResolverObject<TResult, TParent, TContext, TArgs>;

export type SubscriptionResolver<TResult, TKey extends string, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> =
  | ((...args: any[]) => SubscriptionObject<TResult, TKey, TParent, TContext, TArgs>)
  | SubscriptionObject<TResult, TKey, TParent, TContext, TArgs>;

export type TypeResolveFn<TTypes, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>> = (
  parent: TParent,
  context: TContext,
  info: GraphQLResolveInfo
) => Maybe<TTypes> | Promise<Maybe<TTypes>>;

export type IsTypeOfResolverFn<T = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>> = (obj: T, context: TContext, info: GraphQLResolveInfo) => boolean | Promise<boolean>;

export type NextResolverFn<T> = () => Promise<T>;

export type DirectiveResolverFn<TResult = Record<PropertyKey, never>, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> = (
  next: NextResolverFn<TResult>,
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => TResult | Promise<TResult>;

/** Mapping of federation types */
export type FederationTypes = {
  IpConnection: IpConnection;
  Mission: Mission;
  WebhookDelivery: WebhookDelivery;
};

/** Mapping of federation reference types */
export type FederationReferenceTypes = {
  IpConnection:
    ( { __typename: 'IpConnection' }
    & GraphQLRecursivePick<FederationTypes['IpConnection'], {"id":true}> );
  Mission:
    ( { __typename: 'Mission' }
    & GraphQLRecursivePick<FederationTypes['Mission'], {"id":true}> );
  WebhookDelivery:
    ( { __typename: 'WebhookDelivery' }
    & GraphQLRecursivePick<FederationTypes['WebhookDelivery'], {"id":true}> );
};

/** Mapping of union types */
export type ResolversUnionTypes<_RefType extends Record<string, unknown>> = {
  DeliveryFeedEvent:
    | ( DeliveryArrivedRecord )
    | ( FeedStateChangedRecord )
  ;
  SummaryLine:
    | ( ComparativeLineRecord )
    | ( SimpleLineRecord )
  ;
};

/** Mapping of interface types */
export type ResolversInterfaceTypes<_RefType extends Record<string, unknown>> = {
  Node:
    | ( IpConnectionRecord )
    | ( MissionRecord )
    | ( WebhookDeliveryRecord )
  ;
  ServiceLine:
    | ( ComparativeLineRecord )
    | ( SimpleLineRecord )
  ;
};

/** Mapping between all available schema types and the resolvers types */
export type ResolversTypes = {
  AdjustmentLine: ResolverTypeWrapper<AdjustmentLineRecord>;
  String: ResolverTypeWrapper<Scalars['String']['output']>;
  AttemptError: ResolverTypeWrapper<AttemptErrorRecord>;
  AttemptHttp: ResolverTypeWrapper<AttemptHttpRecord>;
  AttemptRequest: ResolverTypeWrapper<AttemptRequestRecord>;
  AttemptResponse: ResolverTypeWrapper<AttemptResponseRecord>;
  ChargesBreakdown: ResolverTypeWrapper<ChargesBreakdownRecord>;
  ID: ResolverTypeWrapper<Scalars['ID']['output']>;
  ChargesBreakdownCsv: ResolverTypeWrapper<ChargesBreakdownCsvRecord>;
  ChargesBreakdownResult: ResolverTypeWrapper<ChargesBreakdownResultRecord>;
  ChargesBreakdownResultConnection: ResolverTypeWrapper<ChargesBreakdownResultConnectionRecord>;
  ChargesBreakdownResultEdge: ResolverTypeWrapper<ChargesBreakdownResultEdgeRecord>;
  ChargesBreakdownResultFilter: ChargesBreakdownResultFilter;
  ChargesBreakdownResultOrder: ChargesBreakdownResultOrder;
  ChargesBreakdownResultOrderField: ChargesBreakdownResultOrderField;
  ChargesBreakdownTotals: ResolverTypeWrapper<ChargesBreakdownTotalsRecord>;
  ChargesForecast: ResolverTypeWrapper<ChargesForecastRecord>;
  ChargesHistoryByService: ResolverTypeWrapper<ChargesHistoryByServiceRecord>;
  ChargesMonth: ResolverTypeWrapper<ChargesMonthRecord>;
  ChargesSummary: ResolverTypeWrapper<ChargesSummaryRecord>;
  Boolean: ResolverTypeWrapper<Scalars['Boolean']['output']>;
  ComparativeLine: ResolverTypeWrapper<ComparativeLineRecord>;
  ConnectionNameFilter: ConnectionNameFilter;
  ContainsFilter: ContainsFilter;
  CostTypeTotal: ResolverTypeWrapper<CostTypeTotalRecord>;
  Date: ResolverTypeWrapper<Scalars['Date']['output']>;
  DateTime: ResolverTypeWrapper<Scalars['DateTime']['output']>;
  DateTimeRangeFilter: DateTimeRangeFilter;
  Decimal: ResolverTypeWrapper<Scalars['Decimal']['output']>;
  DeliveryArrived: ResolverTypeWrapper<DeliveryArrivedRecord>;
  DeliveryBucket: ResolverTypeWrapper<DeliveryBucketRecord>;
  DeliveryCounts: ResolverTypeWrapper<DeliveryCountsRecord>;
  DeliveryFailureGroup: ResolverTypeWrapper<DeliveryFailureGroupRecord>;
  DeliveryFailures: ResolverTypeWrapper<DeliveryFailuresRecord>;
  DeliveryFeedEvent: ResolverTypeWrapper<ResolversUnionTypes<ResolversTypes>['DeliveryFeedEvent']>;
  DeliveryStatusCount: ResolverTypeWrapper<DeliveryStatusCountRecord>;
  EqualsFilter: EqualsFilter;
  FeedState: FeedState;
  FeedStateChanged: ResolverTypeWrapper<FeedStateChangedRecord>;
  HttpHeader: ResolverTypeWrapper<HttpHeaderRecord>;
  Interval: Interval;
  IpConnection: ResolverTypeWrapper<IpConnectionRecord>;
  IpConnectionConnection: ResolverTypeWrapper<IpConnectionConnectionRecord>;
  IpConnectionEdge: ResolverTypeWrapper<IpConnectionEdgeRecord>;
  IpConnectionFilter: IpConnectionFilter;
  IpConnectionInbound: ResolverTypeWrapper<IpConnectionInboundRecord>;
  IpConnectionOrder: IpConnectionOrder;
  IpConnectionOrderField: IpConnectionOrderField;
  IpConnectionOutbound: ResolverTypeWrapper<IpConnectionOutboundRecord>;
  IpConnectionOutboundFilter: IpConnectionOutboundFilter;
  JSONObject: ResolverTypeWrapper<Scalars['JSONObject']['output']>;
  JitterBuffer: ResolverTypeWrapper<JitterBufferRecord>;
  Mission: ResolverTypeWrapper<MissionRecord>;
  MissionConnection: ResolverTypeWrapper<MissionConnectionRecord>;
  MissionEdge: ResolverTypeWrapper<MissionEdgeRecord>;
  MonthDetail: ResolverTypeWrapper<MonthDetailRecord>;
  Node: ResolverTypeWrapper<ResolversInterfaceTypes<ResolversTypes>['Node']>;
  NoiseSuppressionDetails: ResolverTypeWrapper<NoiseSuppressionDetailsRecord>;
  OrderDirection: OrderDirection;
  PageInfo: ResolverTypeWrapper<PageInfoRecord>;
  Query: ResolverTypeWrapper<Record<PropertyKey, never>>;
  RtcpSettings: ResolverTypeWrapper<RtcpSettingsRecord>;
  ServiceChange: ResolverTypeWrapper<ServiceChangeRecord>;
  ServiceCharge: ResolverTypeWrapper<ServiceChargeRecord>;
  ServiceHistory: ResolverTypeWrapper<ServiceHistoryRecord>;
  ServiceHistoryOrder: ServiceHistoryOrder;
  ServiceLine: ResolverTypeWrapper<ResolversInterfaceTypes<ResolversTypes>['ServiceLine']>;
  ServiceOwnerTotal: ResolverTypeWrapper<ServiceOwnerTotalRecord>;
  SimpleLine: ResolverTypeWrapper<SimpleLineRecord>;
  Subscription: ResolverTypeWrapper<Record<PropertyKey, never>>;
  Summary: ResolverTypeWrapper<SummaryRecord>;
  SummaryLine: ResolverTypeWrapper<ResolversUnionTypes<ResolversTypes>['SummaryLine']>;
  TagsFilter: TagsFilter;
  TotalSummary: ResolverTypeWrapper<TotalSummaryRecord>;
  WebhookDelivery: ResolverTypeWrapper<WebhookDeliveryRecord>;
  WebhookDeliveryAttempt: ResolverTypeWrapper<WebhookDeliveryAttemptRecord>;
  WebhookDeliveryConnection: ResolverTypeWrapper<WebhookDeliveryConnectionRecord>;
  WebhookDeliveryEdge: ResolverTypeWrapper<WebhookDeliveryEdgeRecord>;
  WebhookDeliveryFilter: WebhookDeliveryFilter;
  WebhookDeliveryStatusFilter: WebhookDeliveryStatusFilter;
  WebhookEvent: ResolverTypeWrapper<WebhookEventRecord>;
  Int: ResolverTypeWrapper<Scalars['Int']['output']>;
};

/** Mapping between all available schema types and the resolvers parents */
export type ResolversParentTypes = {
  AdjustmentLine: AdjustmentLineRecord;
  String: Scalars['String']['output'];
  AttemptError: AttemptErrorRecord;
  AttemptHttp: AttemptHttpRecord;
  AttemptRequest: AttemptRequestRecord;
  AttemptResponse: AttemptResponseRecord;
  ChargesBreakdown: ChargesBreakdownRecord;
  ID: Scalars['ID']['output'];
  ChargesBreakdownCsv: ChargesBreakdownCsvRecord;
  ChargesBreakdownResult: ChargesBreakdownResultRecord;
  ChargesBreakdownResultConnection: ChargesBreakdownResultConnectionRecord;
  ChargesBreakdownResultEdge: ChargesBreakdownResultEdgeRecord;
  ChargesBreakdownResultFilter: ChargesBreakdownResultFilter;
  ChargesBreakdownResultOrder: ChargesBreakdownResultOrder;
  ChargesBreakdownTotals: ChargesBreakdownTotalsRecord;
  ChargesForecast: ChargesForecastRecord;
  ChargesHistoryByService: ChargesHistoryByServiceRecord;
  ChargesMonth: ChargesMonthRecord;
  ChargesSummary: ChargesSummaryRecord;
  Boolean: Scalars['Boolean']['output'];
  ComparativeLine: ComparativeLineRecord;
  ConnectionNameFilter: ConnectionNameFilter;
  ContainsFilter: ContainsFilter;
  CostTypeTotal: CostTypeTotalRecord;
  Date: Scalars['Date']['output'];
  DateTime: Scalars['DateTime']['output'];
  DateTimeRangeFilter: DateTimeRangeFilter;
  Decimal: Scalars['Decimal']['output'];
  DeliveryArrived: DeliveryArrivedRecord;
  DeliveryBucket: DeliveryBucketRecord;
  DeliveryCounts: DeliveryCountsRecord;
  DeliveryFailureGroup: DeliveryFailureGroupRecord;
  DeliveryFailures: DeliveryFailuresRecord;
  DeliveryFeedEvent: ResolversUnionTypes<ResolversParentTypes>['DeliveryFeedEvent'];
  DeliveryStatusCount: DeliveryStatusCountRecord;
  EqualsFilter: EqualsFilter;
  FeedStateChanged: FeedStateChangedRecord;
  HttpHeader: HttpHeaderRecord;
  IpConnection: IpConnectionRecord;
  IpConnectionConnection: IpConnectionConnectionRecord;
  IpConnectionEdge: IpConnectionEdgeRecord;
  IpConnectionFilter: IpConnectionFilter;
  IpConnectionInbound: IpConnectionInboundRecord;
  IpConnectionOrder: IpConnectionOrder;
  IpConnectionOutbound: IpConnectionOutboundRecord;
  IpConnectionOutboundFilter: IpConnectionOutboundFilter;
  JSONObject: Scalars['JSONObject']['output'];
  JitterBuffer: JitterBufferRecord;
  Mission: MissionRecord;
  MissionConnection: MissionConnectionRecord;
  MissionEdge: MissionEdgeRecord;
  MonthDetail: MonthDetailRecord;
  Node: ResolversInterfaceTypes<ResolversParentTypes>['Node'];
  NoiseSuppressionDetails: NoiseSuppressionDetailsRecord;
  PageInfo: PageInfoRecord;
  Query: Record<PropertyKey, never>;
  RtcpSettings: RtcpSettingsRecord;
  ServiceChange: ServiceChangeRecord;
  ServiceCharge: ServiceChargeRecord;
  ServiceHistory: ServiceHistoryRecord;
  ServiceLine: ResolversInterfaceTypes<ResolversParentTypes>['ServiceLine'];
  ServiceOwnerTotal: ServiceOwnerTotalRecord;
  SimpleLine: SimpleLineRecord;
  Subscription: Record<PropertyKey, never>;
  Summary: SummaryRecord;
  SummaryLine: ResolversUnionTypes<ResolversParentTypes>['SummaryLine'];
  TagsFilter: TagsFilter;
  TotalSummary: TotalSummaryRecord;
  WebhookDelivery: WebhookDeliveryRecord;
  WebhookDeliveryAttempt: WebhookDeliveryAttemptRecord;
  WebhookDeliveryConnection: WebhookDeliveryConnectionRecord;
  WebhookDeliveryEdge: WebhookDeliveryEdgeRecord;
  WebhookDeliveryFilter: WebhookDeliveryFilter;
  WebhookDeliveryStatusFilter: WebhookDeliveryStatusFilter;
  WebhookEvent: WebhookEventRecord;
  Int: Scalars['Int']['output'];
};

export type SemanticNonNullDirectiveArgs = {
  levels?: ReadonlyArray<Scalars['Int']['input']>;
};

export type SemanticNonNullDirectiveResolver<Result, Parent, ContextType = Context, Args = SemanticNonNullDirectiveArgs> = DirectiveResolverFn<Result, Parent, ContextType, Args>;

export type AdjustmentLineResolvers<ContextType = Context, ParentType extends ResolversParentTypes['AdjustmentLine'] = ResolversParentTypes['AdjustmentLine']> = {
  amount: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
  description: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  eventDate: Resolver<ResolversTypes['Date'], ParentType, ContextType>;
};

export type AttemptErrorResolvers<ContextType = Context, ParentType extends ResolversParentTypes['AttemptError'] = ResolversParentTypes['AttemptError']> = {
  code: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  detail: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  title: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type AttemptHttpResolvers<ContextType = Context, ParentType extends ResolversParentTypes['AttemptHttp'] = ResolversParentTypes['AttemptHttp']> = {
  request: Resolver<Maybe<ResolversTypes['AttemptRequest']>, ParentType, ContextType>;
  response: Resolver<Maybe<ResolversTypes['AttemptResponse']>, ParentType, ContextType>;
};

export type AttemptRequestResolvers<ContextType = Context, ParentType extends ResolversParentTypes['AttemptRequest'] = ResolversParentTypes['AttemptRequest']> = {
  headers: Resolver<Maybe<ReadonlyArray<Maybe<ResolversTypes['HttpHeader']>>>, ParentType, ContextType>;
  url: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type AttemptResponseResolvers<ContextType = Context, ParentType extends ResolversParentTypes['AttemptResponse'] = ResolversParentTypes['AttemptResponse']> = {
  body: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  headers: Resolver<Maybe<ReadonlyArray<Maybe<ResolversTypes['HttpHeader']>>>, ParentType, ContextType>;
  status: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
};

export type ChargesBreakdownResolvers<ContextType = Context, ParentType extends ResolversParentTypes['ChargesBreakdown'] = ResolversParentTypes['ChargesBreakdown']> = {
  currency: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  endDate: Resolver<Maybe<ResolversTypes['Date']>, ParentType, ContextType>;
  results: Resolver<Maybe<ResolversTypes['ChargesBreakdownResultConnection']>, ParentType, ContextType, Partial<ChargesBreakdownResultsArgs>>;
  startDate: Resolver<Maybe<ResolversTypes['Date']>, ParentType, ContextType>;
  totals: Resolver<Maybe<ResolversTypes['ChargesBreakdownTotals']>, ParentType, ContextType, Partial<ChargesBreakdownTotalsArgs>>;
  userEmail: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  userId: Resolver<Maybe<ResolversTypes['ID']>, ParentType, ContextType>;
};

export type ChargesBreakdownCsvResolvers<ContextType = Context, ParentType extends ResolversParentTypes['ChargesBreakdownCsv'] = ResolversParentTypes['ChargesBreakdownCsv']> = {
  content: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  url: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type ChargesBreakdownResultResolvers<ContextType = Context, ParentType extends ResolversParentTypes['ChargesBreakdownResult'] = ResolversParentTypes['ChargesBreakdownResult']> = {
  chargeType: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  cost: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  serviceOwnerEmail: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  serviceOwnerUserId: Resolver<Maybe<ResolversTypes['ID']>, ParentType, ContextType>;
  services: Resolver<Maybe<ReadonlyArray<Maybe<ResolversTypes['ServiceCharge']>>>, ParentType, ContextType>;
  tn: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type ChargesBreakdownResultConnectionResolvers<ContextType = Context, ParentType extends ResolversParentTypes['ChargesBreakdownResultConnection'] = ResolversParentTypes['ChargesBreakdownResultConnection']> = {
  edges: Resolver<ReadonlyArray<ResolversTypes['ChargesBreakdownResultEdge']>, ParentType, ContextType>;
  nodes: Resolver<ReadonlyArray<Maybe<ResolversTypes['ChargesBreakdownResult']>>, ParentType, ContextType>;
  offset: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  pageInfo: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
  totalCount: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
};

export type ChargesBreakdownResultEdgeResolvers<ContextType = Context, ParentType extends ResolversParentTypes['ChargesBreakdownResultEdge'] = ResolversParentTypes['ChargesBreakdownResultEdge']> = {
  cursor: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node: Resolver<Maybe<ResolversTypes['ChargesBreakdownResult']>, ParentType, ContextType>;
};

export type ChargesBreakdownTotalsResolvers<ContextType = Context, ParentType extends ResolversParentTypes['ChargesBreakdownTotals'] = ResolversParentTypes['ChargesBreakdownTotals']> = {
  byCostType: Resolver<Maybe<ReadonlyArray<ResolversTypes['CostTypeTotal']>>, ParentType, ContextType>;
  byServiceOwner: Resolver<Maybe<ReadonlyArray<ResolversTypes['ServiceOwnerTotal']>>, ParentType, ContextType>;
  cost: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
};

export type ChargesForecastResolvers<ContextType = Context, ParentType extends ResolversParentTypes['ChargesForecast'] = ResolversParentTypes['ChargesForecast']> = {
  currency: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  endDate: Resolver<ResolversTypes['Date'], ParentType, ContextType>;
  expected: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
  high: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
  low: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
  months: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  startDate: Resolver<ResolversTypes['Date'], ParentType, ContextType>;
};

export type ChargesHistoryByServiceResolvers<ContextType = Context, ParentType extends ResolversParentTypes['ChargesHistoryByService'] = ResolversParentTypes['ChargesHistoryByService']> = {
  currency: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  grandTotal: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  months: Resolver<ReadonlyArray<ResolversTypes['ChargesMonth']>, ParentType, ContextType>;
  services: Resolver<Maybe<ReadonlyArray<ResolversTypes['ServiceHistory']>>, ParentType, ContextType, RequireFields<ChargesHistoryByServiceServicesArgs, 'orderBy'>>;
};

export type ChargesMonthResolvers<ContextType = Context, ParentType extends ResolversParentTypes['ChargesMonth'] = ResolversParentTypes['ChargesMonth']> = {
  endDate: Resolver<ResolversTypes['Date'], ParentType, ContextType>;
  startDate: Resolver<ResolversTypes['Date'], ParentType, ContextType>;
  summary: Resolver<Maybe<ResolversTypes['ChargesSummary']>, ParentType, ContextType>;
};

export type ChargesSummaryResolvers<ContextType = Context, ParentType extends ResolversParentTypes['ChargesSummary'] = ResolversParentTypes['ChargesSummary']> = {
  changes: Resolver<Maybe<ReadonlyArray<ResolversTypes['ServiceChange']>>, ParentType, ContextType>;
  currency: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  endDate: Resolver<ResolversTypes['Date'], ParentType, ContextType>;
  isComplete: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  previous: Resolver<Maybe<ResolversTypes['ChargesSummary']>, ParentType, ContextType>;
  startDate: Resolver<ResolversTypes['Date'], ParentType, ContextType>;
  summary: Resolver<ResolversTypes['Summary'], ParentType, ContextType>;
  total: Resolver<ResolversTypes['TotalSummary'], ParentType, ContextType>;
  userEmail: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  userId: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
};

export type ComparativeLineResolvers<ContextType = Context, ParentType extends ResolversParentTypes['ComparativeLine'] = ResolversParentTypes['ComparativeLine']> = {
  alias: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  amount: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
  existingThisMonth: Resolver<ResolversTypes['MonthDetail'], ParentType, ContextType>;
  name: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  newThisMonth: Resolver<ResolversTypes['MonthDetail'], ParentType, ContextType>;
  type: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type CostTypeTotalResolvers<ContextType = Context, ParentType extends ResolversParentTypes['CostTypeTotal'] = ResolversParentTypes['CostTypeTotal']> = {
  cost: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  costType: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export interface DateScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['Date'], any> {
  name: 'Date';
}

export interface DateTimeScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['DateTime'], any> {
  name: 'DateTime';
}

export interface DecimalScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['Decimal'], any> {
  name: 'Decimal';
}

export type DeliveryArrivedResolvers<ContextType = Context, ParentType extends ResolversParentTypes['DeliveryArrived'] = ResolversParentTypes['DeliveryArrived']> = {
  cursor: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  delivery: Resolver<ResolversTypes['WebhookDelivery'], ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type DeliveryBucketResolvers<ContextType = Context, ParentType extends ResolversParentTypes['DeliveryBucket'] = ResolversParentTypes['DeliveryBucket']> = {
  byStatus: Resolver<ReadonlyArray<ResolversTypes['DeliveryStatusCount']>, ParentType, ContextType>;
  end: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  start: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  total: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type DeliveryCountsResolvers<ContextType = Context, ParentType extends ResolversParentTypes['DeliveryCounts'] = ResolversParentTypes['DeliveryCounts']> = {
  buckets: Resolver<ReadonlyArray<ResolversTypes['DeliveryBucket']>, ParentType, ContextType>;
};

export type DeliveryFailureGroupResolvers<ContextType = Context, ParentType extends ResolversParentTypes['DeliveryFailureGroup'] = ResolversParentTypes['DeliveryFailureGroup']> = {
  address: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  count: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  errorCode: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  httpStatus: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  newest: Resolver<ResolversTypes['WebhookDelivery'], ParentType, ContextType>;
  status: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  title: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type DeliveryFailuresResolvers<ContextType = Context, ParentType extends ResolversParentTypes['DeliveryFailures'] = ResolversParentTypes['DeliveryFailures']> = {
  examined: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  groups: Resolver<ReadonlyArray<ResolversTypes['DeliveryFailureGroup']>, ParentType, ContextType>;
  isWhole: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
};

export type DeliveryFeedEventResolvers<ContextType = Context, ParentType extends ResolversParentTypes['DeliveryFeedEvent'] = ResolversParentTypes['DeliveryFeedEvent']> = {
  __resolveType: TypeResolveFn<'DeliveryArrived' | 'FeedStateChanged', ParentType, ContextType>;
};

export type DeliveryStatusCountResolvers<ContextType = Context, ParentType extends ResolversParentTypes['DeliveryStatusCount'] = ResolversParentTypes['DeliveryStatusCount']> = {
  count: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  status: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type FeedStateChangedResolvers<ContextType = Context, ParentType extends ResolversParentTypes['FeedStateChanged'] = ResolversParentTypes['FeedStateChanged']> = {
  cursor: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  missed: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  reason: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  since: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  state: Resolver<ResolversTypes['FeedState'], ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type HttpHeaderResolvers<ContextType = Context, ParentType extends ResolversParentTypes['HttpHeader'] = ResolversParentTypes['HttpHeader']> = {
  name: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  value: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type IpConnectionResolvers<ContextType = Context, ParentType extends ResolversParentTypes['IpConnection'] = ResolversParentTypes['IpConnection'], FederationReferenceType extends FederationReferenceTypes['IpConnection'] = FederationReferenceTypes['IpConnection']> = {
  __resolveReference: ReferenceResolver<Maybe<ResolversTypes['IpConnection']> | FederationReferenceType, FederationReferenceType, ContextType>;
  active: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType>;
  anchorsiteOverride: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  androidPushCredentialId: Resolver<Maybe<ResolversTypes['ID']>, ParentType, ContextType>;
  callCostInWebhooks: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType>;
  connectionName: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  createdAt: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  defaultOnHoldComfortNoiseEnabled: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType>;
  dtmfType: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  encodeContactHeaderEnabled: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType>;
  encryptedMedia: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  id: Resolver<Maybe<ResolversTypes['ID']>, ParentType, ContextType>;
  inbound: Resolver<Maybe<ResolversTypes['IpConnectionInbound']>, ParentType, ContextType>;
  iosPushCredentialId: Resolver<Maybe<ResolversTypes['ID']>, ParentType, ContextType>;
  jitterBuffer: Resolver<Maybe<ResolversTypes['JitterBuffer']>, ParentType, ContextType>;
  nodeId: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  noiseSuppression: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  noiseSuppressionDetails: Resolver<Maybe<ResolversTypes['NoiseSuppressionDetails']>, ParentType, ContextType>;
  onnetT38PassthroughEnabled: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType>;
  outbound: Resolver<Maybe<ResolversTypes['IpConnectionOutbound']>, ParentType, ContextType>;
  recordType: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  rtcpSettings: Resolver<Maybe<ResolversTypes['RtcpSettings']>, ParentType, ContextType>;
  tags: Resolver<Maybe<ReadonlyArray<Maybe<ResolversTypes['String']>>>, ParentType, ContextType>;
  transportProtocol: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  updatedAt: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  webhookApiVersion: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  webhookDeliveries: Resolver<Maybe<ResolversTypes['WebhookDeliveryConnection']>, ParentType, ContextType, Partial<IpConnectionWebhookDeliveriesArgs>>;
  webhookEventFailoverUrl: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  webhookEventUrl: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  webhookTimeoutSecs: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type IpConnectionConnectionResolvers<ContextType = Context, ParentType extends ResolversParentTypes['IpConnectionConnection'] = ResolversParentTypes['IpConnectionConnection']> = {
  edges: Resolver<ReadonlyArray<ResolversTypes['IpConnectionEdge']>, ParentType, ContextType>;
  nodes: Resolver<ReadonlyArray<Maybe<ResolversTypes['IpConnection']>>, ParentType, ContextType>;
  offset: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  pageInfo: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
  totalCount: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
};

export type IpConnectionEdgeResolvers<ContextType = Context, ParentType extends ResolversParentTypes['IpConnectionEdge'] = ResolversParentTypes['IpConnectionEdge']> = {
  cursor: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node: Resolver<Maybe<ResolversTypes['IpConnection']>, ParentType, ContextType>;
};

export type IpConnectionInboundResolvers<ContextType = Context, ParentType extends ResolversParentTypes['IpConnectionInbound'] = ResolversParentTypes['IpConnectionInbound']> = {
  aniNumberFormat: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  channelLimit: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  codecs: Resolver<Maybe<ReadonlyArray<Maybe<ResolversTypes['String']>>>, ParentType, ContextType>;
  defaultPrimaryIpId: Resolver<Maybe<ResolversTypes['ID']>, ParentType, ContextType>;
  defaultRoutingMethod: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  defaultSecondaryIpId: Resolver<Maybe<ResolversTypes['ID']>, ParentType, ContextType>;
  defaultTertiaryIpId: Resolver<Maybe<ResolversTypes['ID']>, ParentType, ContextType>;
  dnisNumberFormat: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  generateRingbackTone: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType>;
  isupHeadersEnabled: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType>;
  prackEnabled: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType>;
  shakenStirEnabled: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType>;
  sipCompactHeadersEnabled: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType>;
  sipRegion: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  sipSubdomain: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  sipSubdomainReceiveSettings: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  timeout1xxSecs: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  timeout2xxSecs: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
};

export type IpConnectionOutboundResolvers<ContextType = Context, ParentType extends ResolversParentTypes['IpConnectionOutbound'] = ResolversParentTypes['IpConnectionOutbound']> = {
  aniOverride: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  aniOverrideType: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  callParkingEnabled: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType>;
  channelLimit: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  generateRingbackTone: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType>;
  instantRingbackEnabled: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType>;
  ipAuthenticationMethod: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  ipAuthenticationToken: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  ipAuthenticationTokenSet: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType>;
  localization: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  outboundVoiceProfileId: Resolver<Maybe<ResolversTypes['ID']>, ParentType, ContextType>;
  t38ReinviteSource: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  techPrefix: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export interface JsonObjectScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['JSONObject'], any> {
  name: 'JSONObject';
}

export type JitterBufferResolvers<ContextType = Context, ParentType extends ResolversParentTypes['JitterBuffer'] = ResolversParentTypes['JitterBuffer']> = {
  enableJitterBuffer: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType>;
  jitterbufferMsecMax: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  jitterbufferMsecMin: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
};

export type MissionResolvers<ContextType = Context, ParentType extends ResolversParentTypes['Mission'] = ResolversParentTypes['Mission'], FederationReferenceType extends FederationReferenceTypes['Mission'] = FederationReferenceTypes['Mission']> = {
  __resolveReference: ReferenceResolver<Maybe<ResolversTypes['Mission']> | FederationReferenceType, FederationReferenceType, ContextType>;
  createdAt: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  description: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  id: Resolver<Maybe<ResolversTypes['ID']>, ParentType, ContextType>;
  instructions: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  metadata: Resolver<Maybe<ResolversTypes['JSONObject']>, ParentType, ContextType>;
  model: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  name: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  nodeId: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  updatedAt: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type MissionConnectionResolvers<ContextType = Context, ParentType extends ResolversParentTypes['MissionConnection'] = ResolversParentTypes['MissionConnection']> = {
  edges: Resolver<ReadonlyArray<ResolversTypes['MissionEdge']>, ParentType, ContextType>;
  nodes: Resolver<ReadonlyArray<Maybe<ResolversTypes['Mission']>>, ParentType, ContextType>;
  offset: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  pageInfo: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
  totalCount: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
};

export type MissionEdgeResolvers<ContextType = Context, ParentType extends ResolversParentTypes['MissionEdge'] = ResolversParentTypes['MissionEdge']> = {
  cursor: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node: Resolver<Maybe<ResolversTypes['Mission']>, ParentType, ContextType>;
};

export type MonthDetailResolvers<ContextType = Context, ParentType extends ResolversParentTypes['MonthDetail'] = ResolversParentTypes['MonthDetail']> = {
  mrc: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
  otc: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  quantity: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type NodeResolvers<ContextType = Context, ParentType extends ResolversParentTypes['Node'] = ResolversParentTypes['Node']> = {
  __resolveType: TypeResolveFn<'IpConnection' | 'Mission' | 'WebhookDelivery', ParentType, ContextType>;
};

export type NoiseSuppressionDetailsResolvers<ContextType = Context, ParentType extends ResolversParentTypes['NoiseSuppressionDetails'] = ResolversParentTypes['NoiseSuppressionDetails']> = {
  attenuationLimit: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  engine: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type PageInfoResolvers<ContextType = Context, ParentType extends ResolversParentTypes['PageInfo'] = ResolversParentTypes['PageInfo']> = {
  endCursor: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  hasNextPage: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  hasPreviousPage: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  startCursor: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type QueryResolvers<ContextType = Context, ParentType extends ResolversParentTypes['Query'] = ResolversParentTypes['Query']> = {
  chargesBreakdown: Resolver<Maybe<ResolversTypes['ChargesBreakdown']>, ParentType, ContextType, RequireFields<QueryChargesBreakdownArgs, 'startDate'>>;
  chargesBreakdownCsv: Resolver<Maybe<ResolversTypes['ChargesBreakdownCsv']>, ParentType, ContextType, RequireFields<QueryChargesBreakdownCsvArgs, 'startDate'>>;
  chargesForecast: Resolver<Maybe<ResolversTypes['ChargesForecast']>, ParentType, ContextType, RequireFields<QueryChargesForecastArgs, 'month' | 'months'>>;
  chargesHistory: Resolver<Maybe<ReadonlyArray<Maybe<ResolversTypes['ChargesSummary']>>>, ParentType, ContextType, RequireFields<QueryChargesHistoryArgs, 'endDate' | 'startDate'>>;
  chargesHistoryByService: Resolver<Maybe<ResolversTypes['ChargesHistoryByService']>, ParentType, ContextType, RequireFields<QueryChargesHistoryByServiceArgs, 'endDate' | 'startDate'>>;
  chargesSummary: Resolver<Maybe<ResolversTypes['ChargesSummary']>, ParentType, ContextType, RequireFields<QueryChargesSummaryArgs, 'endDate' | 'startDate'>>;
  deliveryCounts: Resolver<Maybe<ResolversTypes['DeliveryCounts']>, ParentType, ContextType, RequireFields<QueryDeliveryCountsArgs, 'interval' | 'startedAt'>>;
  deliveryFailures: Resolver<Maybe<ResolversTypes['DeliveryFailures']>, ParentType, ContextType, RequireFields<QueryDeliveryFailuresArgs, 'first'>>;
  ipConnection: Resolver<Maybe<ResolversTypes['IpConnection']>, ParentType, ContextType, RequireFields<QueryIpConnectionArgs, 'id'>>;
  ipConnections: Resolver<Maybe<ResolversTypes['IpConnectionConnection']>, ParentType, ContextType, Partial<QueryIpConnectionsArgs>>;
  mission: Resolver<Maybe<ResolversTypes['Mission']>, ParentType, ContextType, RequireFields<QueryMissionArgs, 'id'>>;
  missions: Resolver<Maybe<ResolversTypes['MissionConnection']>, ParentType, ContextType, Partial<QueryMissionsArgs>>;
  node: Resolver<Maybe<ResolversTypes['Node']>, ParentType, ContextType, RequireFields<QueryNodeArgs, 'nodeId'>>;
  nodes: Resolver<Maybe<ReadonlyArray<Maybe<ResolversTypes['Node']>>>, ParentType, ContextType, RequireFields<QueryNodesArgs, 'nodeIds'>>;
  webhookDeliveries: Resolver<Maybe<ResolversTypes['WebhookDeliveryConnection']>, ParentType, ContextType, Partial<QueryWebhookDeliveriesArgs>>;
  webhookDelivery: Resolver<Maybe<ResolversTypes['WebhookDelivery']>, ParentType, ContextType, RequireFields<QueryWebhookDeliveryArgs, 'id'>>;
};

export type RtcpSettingsResolvers<ContextType = Context, ParentType extends ResolversParentTypes['RtcpSettings'] = ResolversParentTypes['RtcpSettings']> = {
  captureEnabled: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType>;
  port: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  reportFrequencySecs: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
};

export type ServiceChangeResolvers<ContextType = Context, ParentType extends ResolversParentTypes['ServiceChange'] = ResolversParentTypes['ServiceChange']> = {
  alias: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  amount: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  change: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  name: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  previousAmount: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
};

export type ServiceChargeResolvers<ContextType = Context, ParentType extends ResolversParentTypes['ServiceCharge'] = ResolversParentTypes['ServiceCharge']> = {
  cost: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  costType: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  name: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type ServiceHistoryResolvers<ContextType = Context, ParentType extends ResolversParentTypes['ServiceHistory'] = ResolversParentTypes['ServiceHistory']> = {
  alias: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  amounts: Resolver<ReadonlyArray<Maybe<ResolversTypes['Decimal']>>, ParentType, ContextType>;
  name: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  total: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
};

export type ServiceLineResolvers<ContextType = Context, ParentType extends ResolversParentTypes['ServiceLine'] = ResolversParentTypes['ServiceLine']> = {
  __resolveType: TypeResolveFn<'ComparativeLine' | 'SimpleLine', ParentType, ContextType>;
};

export type ServiceOwnerTotalResolvers<ContextType = Context, ParentType extends ResolversParentTypes['ServiceOwnerTotal'] = ResolversParentTypes['ServiceOwnerTotal']> = {
  cost: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  serviceOwnerEmail: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  serviceOwnerUserId: Resolver<Maybe<ResolversTypes['ID']>, ParentType, ContextType>;
};

export type SimpleLineResolvers<ContextType = Context, ParentType extends ResolversParentTypes['SimpleLine'] = ResolversParentTypes['SimpleLine']> = {
  alias: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  amount: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
  name: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  quantity: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  type: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type SubscriptionResolvers<ContextType = Context, ParentType extends ResolversParentTypes['Subscription'] = ResolversParentTypes['Subscription']> = {
  deliveryFeed?: SubscriptionResolver<ResolversTypes['DeliveryFeedEvent'], "deliveryFeed", ParentType, ContextType, Partial<SubscriptionDeliveryFeedArgs>>;
  webhookDeliveries?: SubscriptionResolver<ResolversTypes['WebhookDelivery'], "webhookDeliveries", ParentType, ContextType, Partial<SubscriptionWebhookDeliveriesArgs>>;
};

export type SummaryResolvers<ContextType = Context, ParentType extends ResolversParentTypes['Summary'] = ResolversParentTypes['Summary']> = {
  adjustments: Resolver<ReadonlyArray<Maybe<ResolversTypes['AdjustmentLine']>>, ParentType, ContextType>;
  lines: Resolver<ReadonlyArray<Maybe<ResolversTypes['SummaryLine']>>, ParentType, ContextType>;
};

export type SummaryLineResolvers<ContextType = Context, ParentType extends ResolversParentTypes['SummaryLine'] = ResolversParentTypes['SummaryLine']> = {
  __resolveType: TypeResolveFn<'ComparativeLine' | 'SimpleLine', ParentType, ContextType>;
};

export type TotalSummaryResolvers<ContextType = Context, ParentType extends ResolversParentTypes['TotalSummary'] = ResolversParentTypes['TotalSummary']> = {
  credits: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
  existingMrc: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
  grandTotal: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
  ledgerAdjustments: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
  newMrc: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
  newOtc: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
  other: Resolver<ResolversTypes['Decimal'], ParentType, ContextType>;
};

export type WebhookDeliveryResolvers<ContextType = Context, ParentType extends ResolversParentTypes['WebhookDelivery'] = ResolversParentTypes['WebhookDelivery'], FederationReferenceType extends FederationReferenceTypes['WebhookDelivery'] = FederationReferenceTypes['WebhookDelivery']> = {
  __resolveReference: ReferenceResolver<Maybe<ResolversTypes['WebhookDelivery']> | FederationReferenceType, FederationReferenceType, ContextType>;
  attemptCount: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  attempts: Resolver<Maybe<ReadonlyArray<Maybe<ResolversTypes['WebhookDeliveryAttempt']>>>, ParentType, ContextType>;
  durationMs: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  finishedAt: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  id: Resolver<Maybe<ResolversTypes['ID']>, ParentType, ContextType>;
  ipConnection: Resolver<Maybe<ResolversTypes['IpConnection']>, ParentType, ContextType>;
  newestAttempt: Resolver<Maybe<ResolversTypes['WebhookDeliveryAttempt']>, ParentType, ContextType>;
  nodeId: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  recordType: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  startedAt: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  status: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  userId: Resolver<Maybe<ResolversTypes['ID']>, ParentType, ContextType>;
  webhook: Resolver<Maybe<ResolversTypes['WebhookEvent']>, ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type WebhookDeliveryAttemptResolvers<ContextType = Context, ParentType extends ResolversParentTypes['WebhookDeliveryAttempt'] = ResolversParentTypes['WebhookDeliveryAttempt']> = {
  durationMs: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  errorDetails: Resolver<Maybe<ReadonlyArray<ResolversTypes['AttemptError']>>, ParentType, ContextType>;
  errors: Resolver<Maybe<ReadonlyArray<Maybe<ResolversTypes['Int']>>>, ParentType, ContextType>;
  finishedAt: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  http: Resolver<Maybe<ResolversTypes['AttemptHttp']>, ParentType, ContextType>;
  startedAt: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  status: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type WebhookDeliveryConnectionResolvers<ContextType = Context, ParentType extends ResolversParentTypes['WebhookDeliveryConnection'] = ResolversParentTypes['WebhookDeliveryConnection']> = {
  edges: Resolver<ReadonlyArray<ResolversTypes['WebhookDeliveryEdge']>, ParentType, ContextType>;
  nodes: Resolver<ReadonlyArray<Maybe<ResolversTypes['WebhookDelivery']>>, ParentType, ContextType>;
  offset: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  pageInfo: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
  totalCount: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
};

export type WebhookDeliveryEdgeResolvers<ContextType = Context, ParentType extends ResolversParentTypes['WebhookDeliveryEdge'] = ResolversParentTypes['WebhookDeliveryEdge']> = {
  cursor: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node: Resolver<Maybe<ResolversTypes['WebhookDelivery']>, ParentType, ContextType>;
};

export type WebhookEventResolvers<ContextType = Context, ParentType extends ResolversParentTypes['WebhookEvent'] = ResolversParentTypes['WebhookEvent']> = {
  eventType: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  id: Resolver<Maybe<ResolversTypes['ID']>, ParentType, ContextType>;
  occurredAt: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  payload: Resolver<Maybe<ResolversTypes['JSONObject']>, ParentType, ContextType>;
  recordType: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type Resolvers<ContextType = Context> = {
  AdjustmentLine: AdjustmentLineResolvers<ContextType>;
  AttemptError: AttemptErrorResolvers<ContextType>;
  AttemptHttp: AttemptHttpResolvers<ContextType>;
  AttemptRequest: AttemptRequestResolvers<ContextType>;
  AttemptResponse: AttemptResponseResolvers<ContextType>;
  ChargesBreakdown: ChargesBreakdownResolvers<ContextType>;
  ChargesBreakdownCsv: ChargesBreakdownCsvResolvers<ContextType>;
  ChargesBreakdownResult: ChargesBreakdownResultResolvers<ContextType>;
  ChargesBreakdownResultConnection: ChargesBreakdownResultConnectionResolvers<ContextType>;
  ChargesBreakdownResultEdge: ChargesBreakdownResultEdgeResolvers<ContextType>;
  ChargesBreakdownTotals: ChargesBreakdownTotalsResolvers<ContextType>;
  ChargesForecast: ChargesForecastResolvers<ContextType>;
  ChargesHistoryByService: ChargesHistoryByServiceResolvers<ContextType>;
  ChargesMonth: ChargesMonthResolvers<ContextType>;
  ChargesSummary: ChargesSummaryResolvers<ContextType>;
  ComparativeLine: ComparativeLineResolvers<ContextType>;
  CostTypeTotal: CostTypeTotalResolvers<ContextType>;
  Date: GraphQLScalarType;
  DateTime: GraphQLScalarType;
  Decimal: GraphQLScalarType;
  DeliveryArrived: DeliveryArrivedResolvers<ContextType>;
  DeliveryBucket: DeliveryBucketResolvers<ContextType>;
  DeliveryCounts: DeliveryCountsResolvers<ContextType>;
  DeliveryFailureGroup: DeliveryFailureGroupResolvers<ContextType>;
  DeliveryFailures: DeliveryFailuresResolvers<ContextType>;
  DeliveryFeedEvent: DeliveryFeedEventResolvers<ContextType>;
  DeliveryStatusCount: DeliveryStatusCountResolvers<ContextType>;
  FeedStateChanged: FeedStateChangedResolvers<ContextType>;
  HttpHeader: HttpHeaderResolvers<ContextType>;
  IpConnection: IpConnectionResolvers<ContextType>;
  IpConnectionConnection: IpConnectionConnectionResolvers<ContextType>;
  IpConnectionEdge: IpConnectionEdgeResolvers<ContextType>;
  IpConnectionInbound: IpConnectionInboundResolvers<ContextType>;
  IpConnectionOutbound: IpConnectionOutboundResolvers<ContextType>;
  JSONObject: GraphQLScalarType;
  JitterBuffer: JitterBufferResolvers<ContextType>;
  Mission: MissionResolvers<ContextType>;
  MissionConnection: MissionConnectionResolvers<ContextType>;
  MissionEdge: MissionEdgeResolvers<ContextType>;
  MonthDetail: MonthDetailResolvers<ContextType>;
  Node: NodeResolvers<ContextType>;
  NoiseSuppressionDetails: NoiseSuppressionDetailsResolvers<ContextType>;
  PageInfo: PageInfoResolvers<ContextType>;
  Query: QueryResolvers<ContextType>;
  RtcpSettings: RtcpSettingsResolvers<ContextType>;
  ServiceChange: ServiceChangeResolvers<ContextType>;
  ServiceCharge: ServiceChargeResolvers<ContextType>;
  ServiceHistory: ServiceHistoryResolvers<ContextType>;
  ServiceLine: ServiceLineResolvers<ContextType>;
  ServiceOwnerTotal: ServiceOwnerTotalResolvers<ContextType>;
  SimpleLine: SimpleLineResolvers<ContextType>;
  Subscription: SubscriptionResolvers<ContextType>;
  Summary: SummaryResolvers<ContextType>;
  SummaryLine: SummaryLineResolvers<ContextType>;
  TotalSummary: TotalSummaryResolvers<ContextType>;
  WebhookDelivery: WebhookDeliveryResolvers<ContextType>;
  WebhookDeliveryAttempt: WebhookDeliveryAttemptResolvers<ContextType>;
  WebhookDeliveryConnection: WebhookDeliveryConnectionResolvers<ContextType>;
  WebhookDeliveryEdge: WebhookDeliveryEdgeResolvers<ContextType>;
  WebhookEvent: WebhookEventResolvers<ContextType>;
};

export type DirectiveResolvers<ContextType = Context> = {
  semanticNonNull: SemanticNonNullDirectiveResolver<any, any, ContextType>;
};
