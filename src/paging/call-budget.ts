/** Thrown instead of a call that a budget does not have left. It never reaches a client: whoever set the budget says what it means. */
export class BudgetSpent extends Error {
  constructor() {
    super('No call is left of this budget.');
    this.name = 'BudgetSpent';
  }
}

/** How many upstream calls may still be made for one purpose. */
export class CallBudget {
  /** How many there were at first. */
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

  /** A budget of at most so many of the calls that are left here; what it spends is spent here too. */
  part(most: number): CallBudget {
    return new CallBudget(most, this);
  }
}
