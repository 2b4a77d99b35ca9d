import fc from 'fast-check';

// A report as it may come, and what is to be said of it, computed in the plainest way: by integers of units, without a library.

/** A value that may be anything. */
export type Wire = Readonly<Record<string, unknown>>;

export interface Filter {
  readonly tn?: { readonly contains?: string | null } | null;
  readonly chargeType?: { readonly eq?: string | null } | null;
  readonly serviceOwnerEmail?: { readonly eq?: string | null } | null;
}

export interface Order {
  readonly field: 'TN' | 'COST';
  readonly direction?: 'ASC' | 'DESC';
}

const places = 60;

interface Amount {
  readonly units: bigint;
  readonly places: number;
}

/** A sum; null where a cost is missing, `error` where one cannot be read. */
export type Sum = Amount | null | 'error';

/** The decimal of a text: its units of the sixtieth place, and how many places it has. */
function amountOf(text: string): Amount {
  const [, sign, whole = '', fraction = '', exponent = '0'] =
    /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const size = BigInt(`0${whole}${fraction}`) * 10n ** BigInt(places - fraction.length + Number(exponent));
  return { units: sign === '-' ? -size : size, places: Math.max(0, fraction.length - Number(exponent)) };
}

export function textOf(sum: Sum): string | null {
  if (sum === null || sum === 'error') return null;
  const digits = (sum.units < 0n ? -sum.units : sum.units).toString().padStart(places + 1, '0');
  const fraction = digits.slice(-places, digits.length - places + sum.places);
  const text = digits.slice(0, -places) + (sum.places === 0 ? '' : `.${fraction}`);
  return sum.units < 0n ? `-${text}` : text;
}

const unreadable = 'not a number';

function together(sums: readonly Sum[]): Sum {
  if (sums.includes('error')) return 'error';
  if (sums.includes(null)) return null;
  const amounts = sums as readonly Amount[];
  return {
    units: amounts.reduce((sum, { units }) => sum + units, 0n),
    places: Math.max(0, ...amounts.map((amount) => amount.places)),
  };
}

function sumOfService(service: Wire): Sum {
  const { cost } = service;
  if (cost == null) return null;
  return typeof cost !== 'string' || cost === unreadable ? 'error' : amountOf(cost);
}

export function costOf({ services }: Wire): Sum {
  return services == null ? null : together((services as readonly Wire[]).map(sumOfService));
}

function matches(row: Wire, filter: Filter | null): boolean {
  // An empty text asks for nothing.
  const contains = filter?.tn?.contains || null;
  const type = filter?.chargeType?.eq || null;
  const owner = filter?.serviceOwnerEmail?.eq || null;
  return (
    (contains === null || (typeof row['tn'] === 'string' && row['tn'].includes(contains))) &&
    (type === null || row['charge_type'] === type) &&
    (owner === null || row['service_owner_email'] === owner)
  );
}

/** The rows that are listed, in their order. */
export function listed(rows: readonly Wire[], filter: Filter | null, order: Order | null): readonly Wire[] {
  const chosen = rows.filter((row) => matches(row, filter));
  if (order === null) return chosen;
  const valueOf = (row: Wire): bigint | string | null => {
    if (order.field === 'TN') return typeof row['tn'] === 'string' ? row['tn'] : null;
    const cost = costOf(row);
    return cost === null || cost === 'error' ? null : cost.units;
  };
  const sign = order.direction === 'DESC' ? -1 : 1;
  const known = chosen.filter((row) => valueOf(row) !== null);
  known.sort((a, b) => {
    const [left, right] = [valueOf(a) as string, valueOf(b) as string];
    return sign * (left < right ? -1 : left > right ? 1 : 0);
  });
  return [...known, ...chosen.filter((row) => valueOf(row) === null)];
}

export interface Totals {
  readonly cost: string | null;
  readonly byCostType: readonly { readonly costType: unknown; readonly cost: string | null }[] | null;
  readonly byServiceOwner: readonly Wire[];
}

function grouped<Label>(parts: readonly (readonly [label: Label, sum: Sum])[]) {
  const groups = new Map<string, { readonly label: Label; readonly sums: Sum[] }>();
  for (const [label, sum] of parts) {
    const key = JSON.stringify(label);
    const group = groups.get(key) ?? { label, sums: [] };
    groups.set(key, group);
    group.sums.push(sum);
  }
  const sums = [...groups.values()].map((group) => ({ label: group.label, sum: together(group.sums) }));
  const unitsOf = ({ sum }: { readonly sum: Sum }): bigint | null =>
    sum === null || sum === 'error' ? null : sum.units;
  const known = sums.filter((each) => unitsOf(each) !== null);
  known.sort(
    (a, b) => Number((unitsOf(b) ?? 0n) > (unitsOf(a) ?? 0n)) - Number((unitsOf(b) ?? 0n) < (unitsOf(a) ?? 0n)),
  );
  return [...known, ...sums.filter((each) => unitsOf(each) === null)];
}

export function totalsOf(rows: readonly Wire[], filter: Filter | null): Totals {
  const chosen = rows.filter((row) => matches(row, filter));
  const services = chosen.map((row) => row['services'] as readonly Wire[] | null | undefined);
  const all = services.flatMap((each) => each ?? []);
  const byType = grouped(all.map((service) => [service['cost_type'] ?? null, sumOfService(service)] as const));
  const byOwner = grouped(
    chosen.map(
      (row) => [[row['service_owner_user_id'] ?? null, row['service_owner_email'] ?? null], costOf(row)] as const,
    ),
  );
  return {
    cost: textOf(together(chosen.map(costOf))),
    byCostType: services.some((each) => each == null)
      ? null
      : byType.map(({ label, sum }) => ({ costType: label, cost: textOf(sum) })),
    byServiceOwner: byOwner.map(({ label, sum }) => ({
      serviceOwnerUserId: label[0],
      serviceOwnerEmail: label[1],
      cost: textOf(sum),
    })),
  };
}

const decimal = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('1.00', '1', '0.10', '-1.00', '2.50', '0', '-0.00', '+1.0') },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.integer({ min: -500, max: 500 }), fc.nat({ max: 99 })).map((parts) => parts.join('.')),
  },
  {
    weight: 1,
    // Costs that a double does not tell from each other, and some that are larger than a double can be.
    arbitrary: fc.constantFrom(
      '9007199254740993',
      '9007199254740992',
      '9007199254740992.000000000000000001',
      '-9007199254740993',
      '0.1000000000000000055511151231257827',
      '1e400',
      '1.0e400',
      '-1E+400',
      '1e-40',
      '2e-40',
      '.5',
      '5.',
    ),
  },
);

const service = (missing: boolean) =>
  fc.record({
    cost_type: fc.constantFrom<unknown>('MRC', 'OTC', 'mrc', ...(missing ? [null] : [])),
    cost: missing
      ? fc.oneof({ weight: 8, arbitrary: decimal }, { weight: 1, arbitrary: fc.constantFrom(null, unreadable, 7) })
      : decimal,
  });

const row = (missing: boolean) =>
  fc.record({
    tn: fc.constantFrom<unknown>('+1312', '+1313', '+44', '+13120', '1312', '', ...(missing ? [null, 1313] : [])),
    charge_type: fc.constantFrom<unknown>('local', 'Local', 'toll_free', ...(missing ? [undefined] : [])),
    service_owner_user_id: fc.constantFrom('a', 'b'),
    service_owner_email: fc.constantFrom<unknown>('a@example.com', 'b@example.com', ...(missing ? [null] : [])),
    services: fc.oneof(
      { weight: 12, arbitrary: fc.array(service(missing), { maxLength: 3 }) },
      { weight: missing ? 1 : 0, arbitrary: fc.constant(null) },
    ),
  });

/** Rows of a report: all in order, or with something missing or unreadable here and there. */
export const rowsOfReport: fc.Arbitrary<readonly Wire[]> = fc
  .boolean()
  .chain((missing) => fc.array(row(missing), { maxLength: 100, size: 'max' }));

const optional = <Value>(value: fc.Arbitrary<Value>) => fc.oneof(value, fc.constant(null));

export const filters: fc.Arbitrary<Filter | null> = optional(
  fc.record(
    {
      tn: optional(fc.record({ contains: fc.constantFrom(null, '', '13', '+1312', '2', 'x') })),
      chargeType: optional(fc.record({ eq: fc.constantFrom(null, 'local', 'Local', '') })),
      serviceOwnerEmail: optional(fc.record({ eq: fc.constantFrom(null, 'a@example.com', 'A@example.com') })),
    },
    { requiredKeys: [] },
  ),
);

export const orders: fc.Arbitrary<Order | null> = optional(
  fc.record(
    {
      field: fc.constantFrom('TN' as const, 'COST' as const),
      direction: fc.constantFrom('ASC' as const, 'DESC' as const),
    },
    { requiredKeys: ['field'] },
  ),
);
