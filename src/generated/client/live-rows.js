/**
 * The rows of a live list: those that have arrived since it was read, the newest first, then those of the list. An id that has arrived
 * several times is shown once, as it came last; rows without an id are all shown.
 */
export function liveRows                                            (
  arrived                ,
  listed                ,
)                 {
  const shown = new Set(listed.map(({ id }) => id));
  const added        = [];
  for (const row of arrived.toReversed()) {
    if (row.id === null || !shown.has(row.id)) added.push(row);
    shown.add(row.id);
  }
  return [...added, ...listed];
}
