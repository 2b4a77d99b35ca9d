/** A search that all fields of an operation share. */
export interface Search {
  /** How many rows are searched for. */
  readonly wanted: number;
  /** The most calls that a search for so many rows takes. */
  readonly callsFor: (wanted: number) => number;
}

/** What a part of a query may ask for at most. */
export interface Demand {
  /** Upstream calls that are its own. */
  readonly calls: number;
  /** Objects in the response. */
  readonly objects: number;
  /** Pieces that come after the first part of the response, by `@defer` and `@stream`; Infinity where their number is not known. */
  readonly pieces: number;
  /** Searches by name, shared within the operation. */
  readonly searches: ReadonlyMap<string, Search>;
  /** Bodies that are held as a whole, by name, and the weight of each. A body counts once in an operation, however often it is selected. */
  readonly bodies: ReadonlyMap<string, number>;
}

/** Nothing at all. */
export const nothing: Demand = { calls: 0, objects: 0, pieces: 0, searches: new Map(), bodies: new Map() };

/** So many calls. */
export function someCalls(calls: number): Demand {
  return { ...nothing, calls };
}

/** So many objects. */
export function someObjects(objects: number): Demand {
  return { ...nothing, objects };
}

/** So many pieces. */
export function somePieces(pieces: number): Demand {
  return { ...nothing, pieces };
}

/** A part of a shared search. Searches of one name have the same `callsFor`. */
export function aSearch(name: string, wanted: number, callsFor: Search['callsFor']): Demand {
  return { ...nothing, searches: new Map([[name, { wanted, callsFor }]]) };
}

/** A body that is held as a whole. */
export function aBody(name: string, weight: number): Demand {
  return { ...nothing, bodies: new Map([[name, weight]]) };
}

/** All of these together. */
export function sum(demands: readonly Demand[]): Demand {
  let [calls, objects, pieces] = [0, 0, 0];
  // Few demands have any, and this runs for every field of every request.
  let searches: Map<string, Search> | null = null;
  let bodies: Map<string, number> | null = null;
  for (const demand of demands) {
    calls += demand.calls;
    objects += demand.objects;
    pieces += demand.pieces;
    if (demand.searches.size > 0) {
      searches ??= new Map();
      for (const [name, { wanted, callsFor }] of demand.searches)
        searches.set(name, { wanted: (searches.get(name)?.wanted ?? 0) + wanted, callsFor });
    }
    if (demand.bodies.size > 0) {
      bodies ??= new Map();
      for (const [name, weight] of demand.bodies) bodies.set(name, weight);
    }
  }
  return { calls, objects, pieces, searches: searches ?? nothing.searches, bodies: bodies ?? nothing.bodies };
}

/** The same, so many times. */
export function times({ calls, objects, pieces, searches, bodies }: Demand, count: number): Demand {
  if (count === 0) return nothing;
  const [manyCalls, manyObjects, manyPieces] = [calls * count, objects * count, pieces * count];
  return { calls: manyCalls, objects: manyObjects, pieces: manyPieces, searches: multiplied(searches, count), bodies };
}

function multiplied(searches: Demand['searches'], count: number): Demand['searches'] {
  if (searches.size === 0) return searches;
  return new Map(
    [...searches].map(([name, { wanted, callsFor }]) => [name, { wanted: wanted * count, callsFor }] as const),
  );
}

/** Upstream calls, shared searches included. */
export function callsOf({ calls, searches }: Demand): number {
  if (searches.size === 0) return calls;
  return [...searches.values()].reduce((total, { wanted, callsFor }) => total + callsFor(wanted), calls);
}

/** Objects, and the weight of the bodies. */
export function objectsOf({ objects, bodies }: Demand): number {
  if (bodies.size === 0) return objects;
  return [...bodies.values()].reduce((total, weight) => total + weight, objects);
}
