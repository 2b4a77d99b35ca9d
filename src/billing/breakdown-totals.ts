import { totalsPerList } from '../bounds.ts';
import { GatewayError } from '../errors.ts';
import type {
  ChargesBreakdownResultRecord,
  ChargesBreakdownTotalsParent,
  CostTypeTotalParent,
  ServiceOwnerTotalParent,
} from '../resources/charges-breakdown.ts';
import { recordOf } from '../graphql/schema/checked-record.ts';
import { siteOf } from '../graphql/schema/misfit.ts';

import { CostSum, serviceAt, servicesOf } from './number-cost.ts';
import { sortIndexes } from './sorted-indexes.ts';
import { WorkSlices } from '../work-slices.ts';

type Row = ChargesBreakdownResultRecord;

const rowSite = siteOf('ChargesBreakdown.results', 'an item of results');

/** What rows cost together, by kind of cost and by owner. A list is the error for which it is not known which items it has. */
export async function totalsOf(rows: readonly (Row | null)[]): Promise<ChargesBreakdownTotalsParent> {
  const slices = new WorkSlices();
  const all = new CostSum();
  const types = new Groups<Pick<CostTypeTotalParent, 'cost_type'>>('kinds of cost');
  const owners = new Groups<Omit<ServiceOwnerTotalParent, 'cost'>>('owners of services');
  for (const [index, value] of rows.entries()) {
    if (slices.isOver()) await slices.rest();
    try {
      await addRow(recordOf(value as Row, rowSite, rows, index), { all, types, owners }, slices);
    } catch (error) {
      // It may belong to any owner.
      owners.fail(error as Error);
      types.fail(error as Error);
      all.add(error as Error);
    }
  }
  return { cost: all.cost, byCostType: await types.list(slices), byServiceOwner: await owners.list(slices) };
}

interface Sums {
  readonly all: CostSum;
  readonly types: Groups<Pick<CostTypeTotalParent, 'cost_type'>>;
  readonly owners: Groups<Omit<ServiceOwnerTotalParent, 'cost'>>;
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
  async list(slices: WorkSlices): Promise<readonly (Label & { readonly cost: CostSum['cost'] })[] | Error | null> {
    if (this.#failure !== null) return this.#failure;
    if (!this.#isKnown) return null;
    const groups = [...this.#sums.values()];
    const [known, unknown]: [number[], number[]] = [[], []];
    for (const [index, { sum }] of groups.entries()) (sum.known === null ? unknown : known).push(index);
    const valueAt = (index: number) => groups[index]?.sum.known?.value;
    const sorted = await sortIndexes(known, (left, right) => valueAt(right)?.cmp(valueAt(left) ?? 0) ?? 0, slices);
    return [...sorted, ...unknown].flatMap((index) => {
      const group = groups[index];
      return group === undefined ? [] : [{ ...group.label, cost: group.sum.cost }];
    });
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
