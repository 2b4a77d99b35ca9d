import type { ChargesBreakdownResultRecord, Cost, ServiceChargeRecord } from '../resources/charges-breakdown.ts';
import { checkedList, recordOf } from '../graphql/schema/checked-record.ts';
import { siteOf } from '../graphql/schema/misfit.ts';
import { scalars } from '../graphql/schema/scalars.ts';
import { fieldReader } from '../graphql/schema/wire-fields.ts';
import { DecimalSum, summandOf, type Summand } from './decimal.ts';
import { WorkSlices } from '../work-slices.ts';

type Row = ChargesBreakdownResultRecord;

const coordinate = 'ChargesBreakdownResult.cost';
const rowSite = siteOf('ChargesBreakdown.results', 'an item of results');
const servicesSite = siteOf('ChargesBreakdownResult.services', 'services');
const serviceSite = siteOf('ChargesBreakdownResult.services', 'an item of services');
const readCost = fieldReader<string>(siteOf('ServiceCharge.cost', 'cost'), scalars.Decimal);

/** Adds up costs of which some may be missing or unreadable; then nobody knows the sum. */
export class CostSum {
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
export interface ServiceCost {
  readonly service: ServiceChargeRecord | Error;
  readonly cost: Summand | null | Error;
}

/** The services of a number; null where the platform sent none. Throws where they are no list. */
export function servicesOf(row: Row): readonly (ServiceChargeRecord | null)[] | null {
  return checkedList(row.services, servicesSite, row);
}

/** The service at an index of its list. */
export function serviceAt(services: readonly (ServiceChargeRecord | null)[], index: number): ServiceCost {
  let service: ServiceChargeRecord | undefined;
  try {
    service = recordOf(services[index] as ServiceChargeRecord, serviceSite, services, index);
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
