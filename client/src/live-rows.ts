/** The rows of a live list: those that have arrived since it was read, the newest first, then those of the list. */
export function liveRows<Row extends { readonly id: string | null }>(
  arrived: readonly Row[],
  listed: readonly Row[],
): readonly Row[] {
  const ids = new Set(listed.map(({ id }) => id));
  return [...arrived.filter(({ id }) => !ids.has(id)).toReversed(), ...listed];
}
