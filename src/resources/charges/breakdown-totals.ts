import { DecimalSum, summandOf, type Summand } from '../../billing/decimal.ts';
import { GatewayError } from '../../errors.ts';
import type {
  ChargesBreakdownResultRecord,
  ChargesBreakdownTotalsRecord,
  CostTypeTotalRecord,
  ServiceChargeRecord,
  ServiceOwnerTotalRecord,
} from '../../generated/records.ts';
import { checkedList, recordOf, siteOf } from '../../graphql/schema/checked-value.ts';
import { scalars } from '../../graphql/schema/scalars.ts';
import { fieldReader } from '../../graphql/schema/wire-fields.ts';
import { WorkSlices } from '../../time-slices.ts';

/** Kinds of cost, and owners of services, by which a report is added up: some thousand objects would be no overview. */
export const totalsPerList = 500;

type Row = ChargesBreakdownResultRecord;
type Services = NonNullable<Row['services']>;

/** A sum of costs as text: null where one of them is missing, the error where one of them could not be read. */
export type Cost = string | null | Error;

const coordinate = 'ChargesBreakdownResult.cost';
const rowSite = siteOf('ChargesBreakdown.results', 'an item of results');
const servicesSite = siteOf('ChargesBreakdownResult.services');
const serviceSite = siteOf('ChargesBreakdownResult.services', 'an item of services');
const readCost = fieldReader<string>(siteOf('ServiceCharge.cost'), scalars.Decimal);

/** Adds up costs of which some may be missing or unreadable; then nobody knows the sum. */
class CostSum {
  readonly #sum = new DecimalSum();
  #isKnown = true;
  #failure: Error | null = null;

  add(cost: Summand | null | Error): void {
    if (cost instanceof Error) this.#failure ??= cost;
    else if (cost === null) this.#isKnown = false;
    else this.#sum.add(cost);
  }

  /** Null where it is not known. */
  get known(): DecimalSum | null {
    return this.#failure === null && this.#isKnown ? this.#sum : null;
  }

  get cost(): Cost {
    return this.#failure ?? this.known?.toString() ?? null;
  }
}

/** A service of a number: its record, or the error for which it has none, and its cost. */
interface ServiceCost {
  readonly service: ServiceChargeRecord | Error;
  readonly cost: Summand | null | Error;
}

/** The services of a number; null where the platform sent none. Throws where they are no list. */
function servicesOf(row: Row): Services | null {
  return checkedList(row.services, servicesSite);
}

/** The service at an index of its list. */
function serviceAt(services: Services, index: number): ServiceCost {
  let service: ServiceChargeRecord | undefined;
  try {
    service = recordOf(services[index] as ServiceChargeRecord, serviceSite);
    const cost = readCost(service);
    return { service, cost: cost === null ? null : summandOf(cost, coordinate) };
  } catch (error) {
    return { service: service ?? (error as Error), cost: error as Error };
  }
}

/** What all services of a number cost together, added up in slices. A row that is no object has no known cost. */
export async function costSumOf(row: unknown, slices: WorkSlices): Promise<CostSum> {
  const sum = new CostSum();
  try {
    const services = servicesOf(recordOf(row as Row, rowSite));
    if (services === null) sum.add(null);
    for (let index = 0; index < (services?.length ?? 0); index++) {
      if (slices.isOver()) await slices.rest();
      sum.add(serviceAt(services ?? [], index).cost);
    }
  } catch (error) {
    sum.add(error as Error);
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
    try {
      await addRow(recordOf(value as Row, rowSite), { all, types, owners }, slices);
    } catch (error) {
      // It may belong to any owner.
      owners.fail(error as Error);
      types.fail(error as Error);
      all.add(error as Error);
    }
  }
  // Its fields throw the errors that stand in the places of values.
  return {
    cost: all.cost,
    by_cost_type: types.list(),
    by_service_owner: owners.list(),
  } as ChargesBreakdownTotalsRecord;
}

interface Sums {
  readonly all: CostSum;
  readonly types: Groups<Pick<CostTypeTotalRecord, 'cost_type'>>;
  readonly owners: Groups<Omit<ServiceOwnerTotalRecord, 'cost'>>;
}

async function addRow(row: Row, { all, types, owners }: Sums, slices: WorkSlices): Promise<void> {
  const owner = owners.of([row.service_owner_user_id, row.service_owner_email], () => ({
    service_owner_user_id: row.service_owner_user_id,
    service_owner_email: row.service_owner_email,
  }));
  const services = servicesIn(row);
  if (services === null || services instanceof Error) {
    types.fail(services);
    all.add(services);
    owner?.add(services);
    return;
  }
  for (let index = 0; index < services.length; index++) {
    if (slices.isOver()) await slices.rest();
    const { service, cost } = serviceAt(services, index);
    all.add(cost);
    owner?.add(cost);
    if (service instanceof Error) types.fail(service);
    else types.of([service.cost_type], () => ({ cost_type: service.cost_type }))?.add(cost);
  }
}

function servicesIn(row: Row): ReturnType<typeof servicesOf> | Error {
  try {
    return servicesOf(row);
  } catch (error) {
    return error as Error;
  }
}

/** Sums by what they have in common, and whether it is known which ones there are. */
class Groups<Label> {
  readonly #what: string;
  readonly #sums = new Map<string, { readonly label: Label; readonly sum: CostSum }>();
  #isKnown = true;
  #failure: Error | null = null;

  constructor(what: string) {
    this.#what = what;
  }

  /** The sum of the group with these texts; undefined where there would be too many groups. */
  of(texts: readonly unknown[], label: () => Label): CostSum | undefined {
    const key = keyOf(texts);
    const known = this.#sums.get(key)?.sum;
    if (known !== undefined) return known;
    if (this.#sums.size === totalsPerList) {
      this.fail(tooMany(this.#what));
      return undefined;
    }
    const sum = new CostSum();
    this.#sums.set(key, { label: label(), sum });
    return sum;
  }

  /** Something belongs to a group that is not known: for an error, or, with null, because the platform left it out. */
  fail(failure: Error | null): void {
    if (failure === null) this.#isKnown = false;
    else this.#failure ??= failure;
  }

  /** The largest sum first, and those that are not known last. */
  list(): readonly (Label & { readonly cost: Cost })[] | Error | null {
    if (this.#failure !== null) return this.#failure;
    if (!this.#isKnown) return null;
    const groups = [...this.#sums.values()].sort((left, right) => {
      const [a, b] = [left.sum.known?.value, right.sum.known?.value];
      if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
      return b.cmp(a);
    });
    return groups.map(({ label, sum }) => ({ ...label, cost: sum.cost }));
  }
}

/** Missing values are one group, and so are values that are no text: the field of the label reports the first of them. */
function keyOf(texts: readonly unknown[]): string {
  return JSON.stringify(texts.map((text) => (typeof text === 'string' ? text : text == null ? null : 0)));
}

function tooMany(what: string): GatewayError {
  return new GatewayError('QUERY_TOO_COMPLEX', {
    message: `A report is added up by ${totalsPerList} ${what} at most, and this one has more. Use filter to add up a part of it.`,
    excess: { limit: totalsPerList, actual: totalsPerList + 1 },
  });
}
