/** A table whose rows are made when first read and then kept, so that a start costs nothing. */
export class Rows<Row> {
  readonly count: number;
  readonly #build: (index: number) => Row;
  readonly #idOf: (index: number) => string;
  readonly #made: (Row | undefined)[] = [];
  #byId: Map<string, number> | undefined;

  constructor(count: number, idOf: (index: number) => string, build: (index: number) => Row) {
    this.count = count;
    this.#idOf = idOf;
    this.#build = build;
  }

  /** The row at an index from 0 to count - 1. */
  at(index: number): Row {
    return (this.#made[index] ??= this.#build(index));
  }

  /** All rows by index. */
  all(): Row[] {
    return Array.from({ length: this.count }, (_, index) => this.at(index));
  }

  /** The row with this id, or undefined; makes that row only. */
  find(id: string): Row | undefined {
    this.#byId ??= new Map(Array.from({ length: this.count }, (_, index) => [this.#idOf(index), index]));
    const index = this.#byId.get(id);
    return index === undefined ? undefined : this.at(index);
  }
}
