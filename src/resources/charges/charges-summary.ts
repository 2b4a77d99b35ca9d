import { checkReportDates, intervalBefore, isMonthOver, type DateInterval } from '../../billing/date-interval.ts';
import { differenceOf, largestFirst, summandOf, sumOf } from '../../billing/decimal.ts';
import { GatewayError, GatewayErrors, gatewayErrorsOf } from '../../errors.ts';
import type {
  ChargesSummaryRecord,
  ComparativeLineRecord,
  ServiceChangeRecord,
  SummaryLineRecord,
} from '../../generated/records.ts';
import type { QueryResolvers } from '../../generated/schema.ts';
import type { Context } from '../../graphql/context.ts';
import { checkedList, missing, recordOf, siteOf } from '../../graphql/schema/checked-value.ts';
import { memberOf, requiredTextReader, textReader, type TaggedUnion } from '../../graphql/schema/wire-fields.ts';
import { someCalls } from '../../limits/field-cost.ts';
import type { Loaders } from '../../lists/loaders.ts';
import type { Endpoint, Parameter } from '../../upstream/endpoint.ts';
import { readObject } from '../../upstream/response/envelope.ts';
import type { Resource } from '../resource.ts';

/** The period of a report: as it is asked for, and as the report repeats it. */
export const reportPeriod: readonly Parameter[] = [
  { argument: ['startDate'], name: 'start_date' },
  { argument: ['endDate'], name: 'end_date' },
];

/** REST contract, "GET /charges_summary": the charges of at most 31 days. */
export const getChargesSummary: Endpoint<ChargesSummaryRecord> = {
  name: 'GET /charges_summary',
  coordinate: 'Query.chargesSummary',
  path: '/charges_summary',
  accept: 'application/json',
  parameters: reportPeriod,
  read: readObject,
  repeated: reportPeriod,
  // The upstream bills by days of UTC.
  isFinal: (args, now) => isMonthOver(args as unknown as DateInterval, new Date(now).toISOString().slice(0, 10)),
};

const chargesSummary: QueryResolvers['chargesSummary'] = (_root, args, { loaders }) => {
  checkReportDates(args);
  return loaders.load(getChargesSummary, args);
};

const readStart = requiredTextReader('ChargesSummary.startDate', 'Date');
const readEnd = requiredTextReader('ChargesSummary.endDate', 'Date');

/** The summary of the period before that of another one; null before the year 0000. */
async function previousOf(record: ChargesSummaryRecord, loaders: Loaders): Promise<ChargesSummaryRecord | null> {
  const interval = intervalBefore({ startDate: readStart(record), endDate: readEnd(record) });
  if (interval === null) return null;
  try {
    return await summaryOf(interval, loaders);
  } catch (error) {
    throw ofPeriodBefore(error, interval);
  }
}

/** A failure of the period before, whose message names the period: nobody has asked for it by its dates. */
function ofPeriodBefore(error: unknown, { startDate, endDate }: DateInterval): GatewayErrors {
  const reworded = gatewayErrorsOf(error).map((each) =>
    each.code === 'INTERNAL_SERVER_ERROR'
      ? each
      : each.with({ message: `The period before, ${startDate} to ${endDate}: ${each.message}` }),
  );
  return new GatewayErrors(reworded, error instanceof GatewayErrors ? error.more : 0);
}

/** Loads the summary of a period. Where it begins or ends is the gateway's choice, but for the dates that the caller gave. */
export function summaryOf(period: DateInterval, loaders: Loaders, given?: DateInterval): Promise<ChargesSummaryRecord> {
  const dates = ['startDate', 'endDate'] as const;
  const ownArguments = dates.filter((name) => period[name] !== given?.[name]).map((name) => [name]);
  return loaders.load(getChargesSummary, { ...period }, undefined, { ownArguments });
}

const totalSite = siteOf('ChargesSummary.total');
const readGrandTotal = requiredTextReader('TotalSummary.grandTotal', 'Decimal');
const readCurrency = requiredTextReader('ChargesSummary.currency', 'String');

/** The grand total of a summary. Throws UPSTREAM_BAD_RESPONSE where it has none. */
export function grandTotalOf(summary: ChargesSummaryRecord): string {
  return readGrandTotal(recordOf(summary.total, totalSite));
}

/** The currencies of some summaries, each once. Throws UPSTREAM_BAD_RESPONSE where one has none. */
export function currenciesOf(summaries: readonly ChargesSummaryRecord[]): readonly string[] {
  return [...new Set(summaries.map((summary) => readCurrency(summary) ?? ''))];
}

/** The currency of all of these summaries. Throws UNPROCESSABLE_ENTITY, with what follows, where they differ. */
export function oneCurrencyOf(
  summaries: readonly ChargesSummaryRecord[],
  { startDate, endDate }: DateInterval,
  consequence: string,
): string {
  const [currency = '', ...others] = currenciesOf(summaries);
  if (others.length === 0) return currency;
  throw new GatewayError('UNPROCESSABLE_ENTITY', {
    message: `The charges from ${startDate} to ${endDate} are in several currencies, ${consequence}.`,
  });
}

/** How each service differs from the period before, the largest difference first, and those that are not known last. */
async function changesOf(
  record: ChargesSummaryRecord,
  loaders: Loaders,
): Promise<readonly ServiceChangeRecord[] | null> {
  const previous = await previousOf(record, loaders);
  if (previous === null) return null;
  const period = { startDate: previous.start_date, endDate: record.end_date };
  oneCurrencyOf([previous, record], period, 'so that they cannot be compared');
  const [before, now] = [costsIn(previous), costsIn(record)];
  const changes = [...new Map([...before, ...now]).values()].map(({ alias, name }) => {
    const [amount, earlier] = [now, before].map((costs) => costs.get(alias)?.amount ?? '0') as [Amount, Amount];
    const isKnown = typeof amount === 'string' && typeof earlier === 'string';
    return {
      alias,
      name,
      amount,
      previous_amount: earlier,
      change: isKnown ? differenceOf(amount, earlier, change) : null,
    };
  });
  const sizeOf = ({ change: by }: (typeof changes)[number]) => (by === null ? null : summandOf(by, change).value.abs());
  // Its field throws the error that stands in an amount's place.
  return largestFirst(changes, sizeOf) as readonly ServiceChangeRecord[];
}

const change = 'ServiceChange.change';

/** An amount, or the error for which it is not known. */
export type Amount = string | Error;

/** What all lines of a service in one summary cost. */
export interface ServiceCost {
  readonly alias: string;
  readonly name: string;
  readonly amount: Amount;
}

const summarySite = siteOf('ChargesSummary.summary');
const linesSite = siteOf('Summary.lines');
const lineSite = siteOf('Summary.lines', 'an item of lines');
const readAlias = requiredTextReader('ServiceLine.alias', 'String');
const readName = requiredTextReader('ServiceLine.name', 'String');

/**
 * The services of a summary, by alias. Throws UPSTREAM_BAD_RESPONSE for a line without the name of its service, because it may belong to
 * any. Any other line that cannot be read fails one amount.
 */
export function costsIn(report: ChargesSummaryRecord): ReadonlyMap<string, ServiceCost> {
  const services = new Map<string, { readonly name: string; readonly parts: (readonly string[] | Error)[] }>();
  const summary = recordOf(report.summary, summarySite);
  const lines = checkedList(summary.lines, linesSite) ?? missing(linesSite);
  for (const line of lines) {
    const record = recordOf(line, lineSite) as SummaryLineRecord;
    const [alias, name] = [readAlias(record), readName(record)];
    const parts = services.get(alias)?.parts ?? [];
    parts.push(valueOrError(() => partsOf(record)));
    services.set(alias, { name, parts });
  }
  return new Map([...services].map(([alias, { name, parts }]) => [alias, { alias, name, amount: together(parts) }]));
}

/** Lines are added up at once: a sum of sums would make a number for each. */
function together(lines: readonly (readonly string[] | Error)[]): Amount {
  const failure = lines.find((parts) => parts instanceof Error);
  if (failure !== undefined) return failure;
  const parts = lines.flatMap((each) => (each instanceof Error ? [] : each));
  const [only = ''] = parts;
  // A single amount stays as it was sent.
  return parts.length === 1 ? only : valueOrError(() => sumOf(parts, 'ServiceHistory.amounts'));
}

/** What is read, or the error with which that failed. */
export function valueOrError<Value>(read: () => Value): Value | Error {
  try {
    return read();
  } catch (error) {
    return error as Error;
  }
}

const lines: TaggedUnion = {
  tag: 'type',
  types: { comparative: 'ComparativeLine', simple: 'SimpleLine' },
  what: 'a summary line',
  coordinate: 'ServiceLine.type',
};

const readAmount = requiredTextReader('SimpleLine.amount', 'Decimal');
const readMrc = requiredTextReader('MonthDetail.mrc', 'Decimal');
const readOtc = textReader('MonthDetail.otc', 'Decimal');
const addedSite = siteOf('ComparativeLine.newThisMonth');
const existingSite = siteOf('ComparativeLine.existingThisMonth');

/** The parts of the amount of a line of either shape. Throws UPSTREAM_BAD_RESPONSE. */
function partsOf(line: SummaryLineRecord): readonly string[] {
  return memberOf(lines, line) === 'SimpleLine' ? [readAmount(line)] : chargesOf(line as ComparativeLineRecord);
}

/** New and existing, recurring and one-time charges. Throws UPSTREAM_BAD_RESPONSE. */
function chargesOf(line: ComparativeLineRecord): readonly string[] {
  const added = recordOf(line.new_this_month, addedSite);
  const existing = recordOf(line.existing_this_month, existingSite);
  const parts = [added, existing].flatMap((detail) => [readMrc(detail), readOtc(detail)]);
  return parts.filter((part) => part !== null);
}

export const resource = {
  records: [getChargesSummary],
  fields: {
    Query: { chargesSummary },
    ChargesSummary: {
      previous: (record: ChargesSummaryRecord, _args: object, { loaders }: Context) => previousOf(record, loaders),
      // The upstream bills by days of UTC.
      isComplete: (record: ChargesSummaryRecord, _args: object, { now }: Context) =>
        Date.parse(readEnd(record)) <= now(),
      changes: (record: ChargesSummaryRecord, _args: object, { loaders }: Context) => changesOf(record, loaders),
    },
    ComparativeLine: { amount: (line: ComparativeLineRecord) => sumOf(chargesOf(line), 'ComparativeLine.amount') },
  },
  // The union, and the interface that its members share.
  unions: { SummaryLine: lines, ServiceLine: lines },
  costs: {
    'Query.chargesSummary': someCalls(1),
    'ChargesSummary.previous': someCalls(1),
    'ChargesSummary.changes': someCalls(1),
  },
} satisfies Resource;
