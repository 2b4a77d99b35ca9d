import type { Big } from 'big.js';
import { DecimalSum, largestFirst, summandOf, type Summand } from '../../billing/decimal.ts';
import { GatewayError } from '../../errors.ts';
import type {
  ChargesBreakdownResultRecord,
  ChargesBreakdownTotalsRecord,
  CostTypeTotalRecord,
  ServiceChargeRecord,
  ServiceOwnerTotalRecord,
} from '../../generated/records.ts';
import { checkedList, recordOf, siteOf } from '../../graphql/schema/checked-value.ts';
import { textReader } from '../../graphql/schema/wire-fields.ts';
import { identifierOf } from '../../json.ts';
import { WorkSlices } from '../../time-slices.ts';
import { valueOrError } from './charges-summary.ts';

/** Kinds of cost, and owners of services, by which a report is added up: some thousand objects would be no overview. */
export const totalsPerList = 500;

type Row = ChargesBreakdownResultRecord;

/** A sum of costs as text: null where one of them is missing, the error where one of them could not be read. */
export type Cost = string | null | Error;

const coordinate = 'ChargesBreakdownResult.cost';
const rowSite = siteOf('ChargesBreakdown.results', 'an item of results');
const servicesSite = siteOf('ChargesBreakdownResult.services');
const serviceSite = siteOf('ChargesBreakdownResult.services', 'an item of services');
const readCost = textReader('ServiceCharge.cost', 'Decimal');

/** Adds up costs of which some may be missing or unreadable; then nobody knows the sum. */
class CostSum {
  readonly #sum = new DecimalSum();
  /** The first error, or null where costs are only missing. */
  #fault: Error | null | undefined;

  add(cost: Summand | null | Error): void {
    if (cost === null || cost instanceof Error) this.#fault ??= cost;
    else this.#sum.add(cost);
  }

  /** Null where it is not known. */
  get known(): Big | null {
    return this.#fault === undefined ? this.#sum.value : null;
  }

  get cost(): Cost {
    return this.#fault === undefined ? this.#sum.toString() : this.#fault;
  }
}

/** A service of a number, and its cost: the error in place of what is not known, or null where the platform left it out. */
interface ServiceCost {
  readonly service: ServiceChargeRecord | null | Error;
  readonly cost: Summand | null | Error;
}

function rowOf(value: unknown): Row | Error {
  return valueOrError(() => recordOf(value as Row, rowSite));
}

/** The services of a number; one that is not known where they have no list. */
function* servicesOf(row: Row | Error): Generator<ServiceCost> {
  const services = row instanceof Error ? row : valueOrError(() => checkedList(row.services, servicesSite));
  if (services === null || services instanceof Error) yield { service: services, cost: services };
  else for (const service of services) yield costOf(service);
}

function costOf(given: ServiceChargeRecord | null): ServiceCost {
  const service = valueOrError(() => recordOf(given as ServiceChargeRecord, serviceSite));
  if (service instanceof Error) return { service, cost: service };
  const cost = valueOrError(() => {
    const text = readCost(service);
    return text === null ? null : summandOf(text, coordinate);
  });
  return { service, cost };
}

/** What all services of a number cost together, added up in slices. A row that is no object has no known cost. */
export async function costSumOf(row: unknown, slices: WorkSlices): Promise<CostSum> {
  const sum = new CostSum();
  for (const { cost } of servicesOf(rowOf(row))) {
    if (slices.isOver()) await slices.rest();
    sum.add(cost);
  }
  return sum;
}

/** What rows cost together, by kind of cost and by owner. A list is the error for which it is not known which items it has. */
export async function totalsOf(rows: readonly (Row | null)[]): Promise<ChargesBreakdownTotalsRecord> {
  const slices = new WorkSlices();
  const all = new CostSum();
  const types = new Groups<Pick<CostTypeTotalRecord, 'cost_type'>>('kinds of cost');
  const owners = new Groups<Omit<ServiceOwnerTotalRecord, 'cost'>>('owners of services');
  for (const value of rows) {
    if (slices.isOver()) await slices.rest();
    const row = rowOf(value);
    const owner = row instanceof Error ? owners.fail(row) : owners.of(ownerOf(row));
    for (const { service, cost } of servicesOf(row)) {
      if (slices.isOver()) await slices.rest();
      all.add(cost);
      owner?.add(cost);
      if (service === null || service instanceof Error) types.fail(service);
      else types.of({ cost_type: service.cost_type })?.add(cost);
    }
  }
  // Its fields throw the errors that stand in the places of values.
  return {
    cost: all.cost,
    by_cost_type: types.list(),
    by_service_owner: owners.list(),
  } as ChargesBreakdownTotalsRecord;
}

/** An identifier may come as an integer. */
function ownerOf({ service_owner_user_id: id, service_owner_email }: Row) {
  return { service_owner_user_id: identifierOf(id) ?? id, service_owner_email };
}

/** Sums by what they have in common, and whether it is known which ones there are. */
class Groups<Label extends object> {
  readonly #what: string;
  readonly #sums = new Map<string, { readonly label: Label; readonly sum: CostSum }>();
  /** The first error, or null where the platform only left a label out. */
  #fault: Error | null | undefined;

  constructor(what: string) {
    this.#what = what;
  }

  /** The sum of the group with this label; undefined where there would be too many groups. */
  of(label: Label): CostSum | undefined {
    const key = keyOf(label);
    const known = this.#sums.get(key)?.sum;
    if (known !== undefined) return known;
    if (this.#sums.size === totalsPerList) return this.fail(tooMany(this.#what));
    const sum = new CostSum();
    this.#sums.set(key, { label, sum });
    return sum;
  }

  /** Something belongs to a group that is not known: for an error, or, with null, because the platform left it out. */
  fail(fault: Error | null): undefined {
    this.#fault ??= fault;
  }

  /** The largest sum first, and those that are not known last. */
  list(): readonly (Label & { readonly cost: Cost })[] | Error | null {
    if (this.#fault !== undefined) return this.#fault;
    const groups = largestFirst([...this.#sums.values()], ({ sum }) => sum.known);
    return groups.map(({ label, sum }) => ({ ...label, cost: sum.cost }));
  }
}

/** Missing values are one group, and so are values that are no text: the field of the label reports the first of them. */
function keyOf(label: object): string {
  const texts: unknown[] = Object.values(label);
  return JSON.stringify(texts.map((text) => (typeof text === 'string' ? text : text == null ? null : 0)));
}

function tooMany(what: string): GatewayError {
  return new GatewayError('QUERY_TOO_COMPLEX', {
    message: `A report is added up by ${totalsPerList} ${what} at most, and this one has more. Use filter to add up a part of it.`,
    excess: { limit: totalsPerList, actual: totalsPerList + 1 },
  });
}
