import { errorsLength, errorsPerCoordinate, errorsPerResponse } from '../../bounds.ts';

/** What failed at one place of an answer: one failure or several. */
export interface FormattedFailure<Worded> {
  /** Of a value that the schema cannot represent, the field; null for any other failure: each of them has a reason of its own. */
  readonly coordinate: string | null;
  /** How many failures can be worded, and how many more there were. */
  readonly count: number;
  readonly more: number;
  /** Words one of them, counted from 0. */
  readonly word: (index: number) => Worded;
}

/** Of a coordinate, in one part of a response. */
interface Told<Worded> {
  last: Worded | null;
  untold: number;
}

/**
 * Chooses the errors that one response tells: so many of the values of one coordinate of the schema, and so many in all. The last
 * of them says how many more there were. The others are counted and never worded.
 */
export class ErrorReport {
  #told = 0;
  #length = 0;
  readonly #byCoordinate = new Map<string, number>();

  /** Words those of one part of the response, which is its last unless it is said that others follow. */
  tell<Worded extends { message: string }>(
    all: readonly FormattedFailure<Worded>[],
    othersFollow = false,
  ): readonly Worded[] {
    const worded: Worded[] = [];
    const byCoordinate = new Map<string | null, Told<Worded>>();
    for (const { coordinate, count, more, word } of all) {
      const told = byCoordinate.get(coordinate) ?? { last: null, untold: 0 };
      byCoordinate.set(coordinate, told);
      let index = 0;
      for (; index < count && this.#hasRoom(coordinate); index++) {
        told.last = word(index);
        worded.push(told.last);
        this.#note(coordinate, told.last);
      }
      told.untold += count - index + more;
    }
    this.#sayWhatIsLeft(byCoordinate, worded.at(-1), othersFollow);
    return worded;
  }

  #hasRoom(coordinate: string | null): boolean {
    return !this.#isFull() && (this.#byCoordinate.get(coordinate ?? '') ?? 0) < errorsPerCoordinate;
  }

  #isFull(): boolean {
    return this.#told >= errorsPerResponse || this.#length >= errorsLength;
  }

  #note(coordinate: string | null, error: object): void {
    this.#told++;
    this.#length += JSON.stringify(error).length;
    if (coordinate !== null) this.#byCoordinate.set(coordinate, (this.#byCoordinate.get(coordinate) ?? 0) + 1);
  }

  #sayWhatIsLeft<Worded extends { message: string }>(
    byCoordinate: ReadonlyMap<string | null, Told<Worded>>,
    lastOfAll: Worded | undefined,
    othersFollow: boolean,
  ): void {
    let untoldOfAll = 0;
    for (const [coordinate, { last, untold }] of byCoordinate) {
      untoldOfAll += untold;
      const isLastOfAll = this.#isFull() && last === lastOfAll;
      if (coordinate === null || last === null || isLastOfAll) continue;
      last.message += restOf(untold, coordinate, othersFollow && !this.#hasRoom(coordinate));
    }
    if (lastOfAll !== undefined && this.#isFull())
      lastOfAll.message += restOf(untoldOfAll, 'this answer', othersFollow);
  }
}

function restOf(untold: number, whole: string, isUsedUp: boolean): string {
  if (untold === 0) return isUsedUp ? ` (Later errors of ${whole} are not told.)` : '';
  const rest = untold === 1 ? `1 more error of ${whole} is` : `${untold} more errors of ${whole} are`;
  return ` (${rest} not told${isUsedUp ? ', nor are later ones' : ''}.)`;
}
