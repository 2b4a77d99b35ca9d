import { piecesPerResponse } from '../bounds.ts';
import type { GatewayError } from '../errors.ts';
import type { Loaders } from './loaders.ts';
import type { Entity } from '../upstream/endpoint.ts';
import type { FoundRows, WantedRow } from './found-row.ts';
import { createLookUp } from './look-up.ts';
import type { LookUp } from './look-up-batch.ts';
import type { LookUpOptions } from './look-up-options.ts';

export type { FoundRows } from './found-row.ts';

/** Creates a search of the lists, for one request. */
export type CreateSearch<Search> = (loaders: Loaders, options: LookUpOptions) => Search;

/** Finds rows that the API only lists, by searching. Made for one request: the rows that it wants at once are searched together. */
export interface LookUps {
  /** The reason why no row can be looked up; null where it can be tried. */
  readonly refusal: GatewayError | null;
  /** One row by its identifier and its hint; null where there is none. */
  find<Row>(entity: Entity<Row>, wanted: WantedRow): Promise<Row | null>;
  /** Many rows in one promise, each as `find` has it, or its error. */
  findEach<Row>(entity: Entity<Row>, wanted: readonly WantedRow[]): Promise<FoundRows<Row>>;
  /**
   * Takes promises for so many rows, each of which can then be streamed by itself; false where too few are left. A request has
   * as many as a response may have pieces.
   */
  takePromises(count: number): boolean;
  /** A search of another kind, created once for the request. */
  of<Search>(create: CreateSearch<Search>): Search;
}

/** The look-ups of one request, through its loaders. */
export function createLookUps(loaders: Loaders, options: LookUpOptions): LookUps {
  return new RequestLookUps(loaders, options);
}

class RequestLookUps implements LookUps {
  readonly #loaders: Loaders;
  readonly #options: LookUpOptions;
  // Both are made on demand: most requests need neither.
  #byEntity: Map<unknown, LookUp<unknown>> | undefined;
  #searches: Map<CreateSearch<unknown>, unknown> | undefined;
  #promises = piecesPerResponse;

  constructor(loaders: Loaders, options: LookUpOptions) {
    this.#loaders = loaders;
    this.#options = options;
  }

  get refusal(): GatewayError | null {
    return this.#loaders.refusal;
  }

  async find<Row>(entity: Entity<Row>, wanted: WantedRow): Promise<Row | null> {
    const found = (await this.#lookUpOf(entity)([wanted])).get(wanted.id) ?? null;
    if (found instanceof Error) throw found;
    return found;
  }

  findEach<Row>(entity: Entity<Row>, wanted: readonly WantedRow[]): Promise<FoundRows<Row>> {
    return this.#lookUpOf(entity)(wanted);
  }

  takePromises(count: number): boolean {
    if (count > this.#promises) return false;
    this.#promises -= count;
    return true;
  }

  of<Search>(create: CreateSearch<Search>): Search {
    this.#searches ??= new Map();
    const known = this.#searches.get(create) as Search | undefined;
    const search = known ?? create(this.#loaders, this.#options);
    this.#searches.set(create, search);
    return search;
  }

  #lookUpOf<Row>(entity: Entity<Row>): LookUp<Row> {
    this.#byEntity ??= new Map();
    const known = this.#byEntity.get(entity) as LookUp<Row> | undefined;
    const lookUp = known ?? createLookUp(entity, this.#loaders, this.#options);
    this.#byEntity.set(entity, lookUp);
    return lookUp;
  }
}
