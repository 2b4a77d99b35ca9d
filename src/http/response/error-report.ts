import type { ExecutionResult, GraphQLError } from 'graphql';
import { errorsPerResponse } from '../../bounds.ts';
import type { Violation } from '../../errors.ts';

/** Errors of values of one schema coordinate in one response (interface: "Names"). */
export const errorsPerCoordinate = 20;

/** Characters of the errors of one response as JSON, of more than one: a path is as long as the names that the client gave to fields. */
const errorsLength = 65_536;

/** What failed at one place of a response: one failure or several, each of which can be formatted as an error. */
export interface FormattableFailure<Formatted> {
  /** The field whose value the schema cannot represent; null for any other failure, which has a reason of its own. */
  readonly coordinate: string | null;
  /** How many failures can be formatted. */
  readonly count: number;
  /** How many further failures there were, which cannot be formatted. */
  readonly more: number;
  /** Formats the failure at an index, counted from 0. */
  readonly format: (index: number) => Formatted;
}

/** The errors of one coordinate in one part of a response. */
interface Reported<Formatted> {
  /** The last error that was reported; null where none was. */
  last: Formatted | null;
  unreported: number;
}

/**
 * Chooses the errors that one response reports: at most `errorsPerCoordinate` of one coordinate of the schema, and
 * `errorsPerResponse` of all. The last error says how many are missing. Those are counted and never formatted.
 */
export class ErrorReport {
  #reported = 0;
  #length = 0;
  readonly #byCoordinate = new Map<string, number>();

  /** Formats the errors of one part of the response. Unless `othersFollow`, it is the last part. */
  report<Formatted extends { message: string }>(
    failures: readonly FormattableFailure<Formatted>[],
    othersFollow = false,
  ): readonly Formatted[] {
    const errors: Formatted[] = [];
    const byCoordinate = new Map<string | null, Reported<Formatted>>();
    for (const { coordinate, count, more, format } of failures) {
      const reported = byCoordinate.get(coordinate) ?? { last: null, unreported: 0 };
      byCoordinate.set(coordinate, reported);
      let index = 0;
      for (; index < count && this.#hasRoom(coordinate); index++) {
        reported.last = format(index);
        errors.push(reported.last);
        this.#note(coordinate, reported.last);
      }
      reported.unreported += count - index + more;
    }
    this.#addRest(byCoordinate, errors.at(-1), othersFollow);
    return errors;
  }

  #hasRoom(coordinate: string | null): boolean {
    return !this.#isFull() && (this.#byCoordinate.get(coordinate ?? '') ?? 0) < errorsPerCoordinate;
  }

  #isFull(): boolean {
    return this.#reported >= errorsPerResponse || this.#length >= errorsLength;
  }

  #note(coordinate: string | null, error: object): void {
    this.#reported++;
    this.#length += JSON.stringify(error).length;
    if (coordinate !== null) this.#byCoordinate.set(coordinate, (this.#byCoordinate.get(coordinate) ?? 0) + 1);
  }

  /** Adds the number of unreported errors to the last message of each coordinate, and to the last message of a full report. */
  #addRest<Formatted extends { message: string }>(
    byCoordinate: ReadonlyMap<string | null, Reported<Formatted>>,
    lastOfAll: Formatted | undefined,
    othersFollow: boolean,
  ): void {
    let unreportedOfAll = 0;
    for (const [coordinate, { last, unreported }] of byCoordinate) {
      unreportedOfAll += unreported;
      const isLastOfAll = this.#isFull() && last === lastOfAll;
      if (coordinate === null || last === null || isLastOfAll) continue;
      last.message += restOf(unreported, coordinate, othersFollow && !this.#hasRoom(coordinate));
    }
    if (lastOfAll !== undefined && this.#isFull())
      lastOfAll.message += restOf(unreportedOfAll, 'this response', othersFollow);
  }
}

function restOf(unreported: number, whole: string, isUsedUp: boolean): string {
  if (unreported === 0) return isUsedUp ? ` (Later errors of ${whole} are not reported.)` : '';
  const rest = unreported === 1 ? `1 more error of ${whole} is` : `${unreported} more errors of ${whole} are`;
  return ` (${rest} not reported${isUsedUp ? ', nor are later ones' : ''}.)`;
}

/** A result, or a piece of a result, whose data belongs at a path. */
interface PlacedResult extends ExecutionResult {
  readonly path?: readonly (string | number)[];
}

/**
 * Sorts the errors of a result by their places in its data. They come in an order that depends on how long each call took.
 * Errors below a place whose data is null keep the order in which they came.
 */
export function inResponseOrder({ errors = [], data, path = [] }: PlacedResult): readonly GraphQLError[] {
  if (errors.length < 2) return errors;
  const ranksIn = new Map<object, ReadonlyMap<string, number>>();

  function rankOf(container: unknown, key: string | number): number {
    if (typeof key === 'number') return key;
    if (typeof container !== 'object' || container === null) return 0;
    const ranks = ranksIn.get(container) ?? new Map(Object.keys(container).map((name, index) => [name, index]));
    ranksIn.set(container, ranks);
    return ranks.get(key) ?? 0;
  }

  const ranked = errors.map((error) => {
    let container: unknown = data;
    const ranks = (error.path ?? []).slice(path.length).map((key) => {
      const rank = rankOf(container, key);
      container = (container as Readonly<Record<string | number, unknown>> | null | undefined)?.[key];
      return rank;
    });
    return { error, ranks };
  });
  return ranked.sort((one, other) => compare(one.ranks, other.ranks)).map(({ error }) => error);
}

function compare(left: readonly number[], right: readonly number[]): number {
  const at = left.findIndex((rank, index) => rank !== right[index]);
  return at < 0 || at >= right.length ? left.length - right.length : (left[at] ?? 0) - (right[at] ?? 0);
}

/** The violations of one response that were counted, each value once. Several fields may read one value, and each of them fails. */
export class CountedViolations {
  readonly #byHolder = new Map<object, Set<string | number>>();

  /** Whether a violation occurs for the first time. Fields that share a call have the same error at several paths. */
  isNew(violation: Violation): boolean {
    const { holder, key } = violation.place ?? { holder: violation, key: '' };
    const keys = this.#byHolder.get(holder) ?? new Set();
    this.#byHolder.set(holder, keys);
    if (keys.has(key)) return false;
    keys.add(key);
    return true;
  }
}
