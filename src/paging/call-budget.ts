/** Thrown instead of a call where the budget is spent. It never reaches a client: the code that set the budget catches it. */
export class BudgetSpent extends Error {
  constructor() {
    super('No call is left of this budget.');
    this.name = 'BudgetSpent';
  }
}

/** How many upstream calls may still be made for one purpose. */
export class CallBudget {
  /** The number of calls at first. */
  readonly limit: number;
  readonly #whole: CallBudget | null;
  #spent = 0;

  constructor(limit: number, whole: CallBudget | null = null) {
    this.limit = limit;
    this.#whole = whole;
  }

  get left(): number {
    return Math.min(this.limit - this.#spent, this.#whole?.left ?? Infinity);
  }

  /** Takes one call; throws BudgetSpent where none is left. */
  spend(): void {
    if (this.left <= 0) throw new BudgetSpent();
    this.#whole?.spend();
    this.#spent++;
  }

  /** A budget of at most so many of the calls that are left here; its calls are taken from this budget too. */
  part(most: number): CallBudget {
    return new CallBudget(most, this);
  }
}

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
