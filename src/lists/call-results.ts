/** The results of a request's calls by target. No two endpoints share a target. */
export class CallResults<Result> {
  // Most requests make one call. A table, and the hash of a long target, would cost more than all else of it.
  #firstTarget: string | null = null;
  #first: Result | undefined;
  #others: Map<string, Result> | null = null;

  get(target: string): Result | undefined {
    return this.#firstTarget === target ? this.#first : this.#others?.get(target);
  }

  set(target: string, result: Result): void {
    this.#firstTarget ??= target;
    if (this.#firstTarget === target) this.#first = result;
    else (this.#others ??= new Map()).set(target, result);
  }
}
