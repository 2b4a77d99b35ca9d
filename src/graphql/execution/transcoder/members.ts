import { Uncovered } from '../plan/selection.ts';
import { absences, type Computation, type Emission, type Entry } from './layout.ts';

/** What is computed of one or two members of a record. */
export interface ComputedMember extends Pick<Computation, 'kind' | 'prefix'> {
  readonly of: readonly [Entry, Entry?];
}

// A value is read once for each of them.
const mostOfOneName = 8;

/** The entries of an object and what is written of them, as they are gathered. */
export class Members {
  readonly #entries: Entry[] = [];
  readonly #emissions: Emission[] = [];
  #pending = '{';
  #isFirst = true;
  #isBare = false;

  /** Shows a text that is always the same. */
  showText(key: string, text: string): void {
    this.#begin(key);
    this.#pending += text;
  }

  show(key: string, entry: Entry): void {
    this.#emit(key, this.add(entry));
  }

  /** Shows what is computed of these entries. */
  showComputed(key: string, { kind, prefix, of: [entry, other] }: ComputedMember): void {
    const index = this.add(entry);
    const computation = { kind, prefix, other: other === undefined ? null : this.add(other) };
    this.#emit(key, index, computation);
  }

  /** Shows entries one behind the other, with a space between them, and nothing else of the record. */
  showBare(entries: readonly Entry[]): void {
    for (const [index, entry] of entries.entries())
      this.#emissions.push({ text: index === 0 ? '' : ' ', entry: this.add(entry) });
    this.#isBare = true;
  }

  #emit(key: string, entry: number, computation?: Computation): void {
    this.#begin(key);
    this.#emissions.push({ text: this.#pending, entry, ...(computation !== undefined && { computation }) });
    this.#pending = '';
  }

  /** Looks at a member, and says where its entry is. */
  watch({ name, shape }: Pick<Entry, 'name' | 'shape'>): number {
    const index = this.#entries.findIndex((entry) => entry.name === name);
    return index < 0 ? this.#entries.push({ name, shape, absence: absences.null }) - 1 : index;
  }

  end() {
    return { entries: this.#entries, emissions: this.#emissions, tail: this.#isBare ? '' : `${this.#pending}}` };
  }

  #begin(key: string): void {
    this.#pending += `${this.#isFirst ? '' : ','}${JSON.stringify(key)}:`;
    this.#isFirst = false;
  }

  /** The index of an entry. A member that is shown in several ways has an entry for each. */
  add(entry: Entry): number {
    const { name, shape, absence } = entry;
    const same = this.#entries.filter((known) => known.name === name);
    const found = same.find((known) => known.shape === shape && known.absence === absence);
    if (found !== undefined) return this.#entries.indexOf(found);
    if (same.length === mostOfOneName) throw new Uncovered();
    return this.#entries.push(entry) - 1;
  }
}
