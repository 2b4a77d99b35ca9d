import { Big } from 'big.js';

/** What the queries of the upstream's attack select of what the gateway reckons. */
interface Reckoned {
  readonly chargesBreakdown?: {
    readonly totals?: {
      readonly cost: string | null;
      readonly byCostType: readonly { readonly cost: string | null }[] | null;
      readonly byServiceOwner: readonly { readonly cost: string | null }[] | null;
    } | null;
    readonly dearest?: { readonly nodes: readonly ({ readonly cost: string | null } | null)[] } | null;
  } | null;
  readonly webhookDeliveries?: {
    readonly nodes: readonly ({ readonly durationMs?: unknown } | null)[];
  } | null;
}

/** The reckonings of a response that contradict each other, or no value of their type; null where there are none. */
export function faultOfReckoning({ chargesBreakdown, webhookDeliveries }: Reckoned): string | null {
  const { totals, dearest } = chargesBreakdown ?? {};
  const sums = [totals?.byCostType, totals?.byServiceOwner].map((parts) => sumOf(parts ?? [{ cost: null }]));
  const wrong = sums.find((sum) => sum !== null && totals?.cost != null && !sum.eq(totals.cost));
  if (wrong != null) return `parts have the sum ${wrong.toFixed().slice(0, 100)}, and all cost ${totals?.cost}`;
  const costs = (dearest?.nodes ?? []).map((node) => node?.cost ?? null);
  for (const [index, cost] of costs.entries()) {
    const before = costs[index - 1];
    if (index > 0 && cost !== null && (before == null || new Big(before).lt(cost)))
      return `the dearest stand in the order ${costs.slice(0, 3).join(', ').slice(0, 200)}`;
  }
  const durations = (webhookDeliveries?.nodes ?? []).map((node) => node?.durationMs ?? null);
  const odd = durations.find((duration) => duration !== null && !Number.isInteger(duration));
  return odd === undefined ? null : `a duration is ${JSON.stringify(odd)}`;
}

/** Null where a part is not known. */
function sumOf(parts: readonly { readonly cost: string | null }[]): Big | null {
  let sum = new Big(0);
  for (const { cost } of parts) {
    if (cost === null) return null;
    sum = sum.plus(cost);
  }
  return sum;
}
