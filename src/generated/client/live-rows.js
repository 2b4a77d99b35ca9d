/** The rows of a live list: those that have arrived since it was read, the newest first, then those of the list. */
export function liveRows                                            (
  arrived                ,
  listed                ,
)                 {
  const ids = new Set(listed.map(({ id }) => id));
  return [...arrived.filter(({ id }) => !ids.has(id)).toReversed(), ...listed];
}
