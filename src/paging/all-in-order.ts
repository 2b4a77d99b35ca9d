/**
 * As Promise.all, but rejects with the first failure in order, not in time: where several promises fail, the result does not
 * depend on which fails first.
 */
export async function allInOrder<Value>(promises: readonly Promise<Value>[]): Promise<Value[]> {
  // Failures behind the first one are not reported.
  for (const promise of promises) promise.catch(() => {});
  const values: Value[] = [];
  for (const promise of promises) values.push(await promise);
  return values;
}
