/**
 * As Promise.all, but the failure is that of the first in order, not in time: where several fail, the same failures have the
 * same answer whatever the race.
 */
export async function allInOrder<Value>(promises: readonly Promise<Value>[]): Promise<Value[]> {
  // What fails behind the first failure is nobody's concern.
  for (const promise of promises) promise.catch(() => {});
  const values: Value[] = [];
  for (const promise of promises) values.push(await promise);
  return values;
}
