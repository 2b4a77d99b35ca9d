import { Kind, type DocumentNode, type SelectionSetNode } from 'graphql';
import type { Limits } from '../config.ts';
import { GatewayError } from '../errors.ts';
import { fieldsIn, fragmentsOf, innerSetOf, type Fragments } from '../graphql/document.ts';

/**
 * Fragments, one for so many allowed tokens, and some in any case. Where they meet, graphql-js compares each with each other: three
 * hundred at one place take 50 ms, two hundred 20. A fragment of one field takes twelve tokens.
 */
const fragmentCount = { tokensPerFragment: 15, least: 100 } as const;

/**
 * The limits of a document, whatever its variables are. Tokens bound also its fields, with fragments written out wherever they are spread;
 * aliases also repetitions of a field with a selection at one place.
 */
export type DocumentLimits = Pick<Limits, 'limitTokens' | 'limitDepth' | 'limitAliases' | 'limitRootFields'>;

/**
 * QUERY_TOO_COMPLEX for the first limit that a document exceeds; null where it is within them. All fragments that it spreads are known,
 * and none spreads itself: that has no size. It takes time that grows with the length alone.
 */
export function excessIn(
  document: DocumentNode,
  { limitTokens: tokens, limitDepth: depth, limitAliases: aliases, limitRootFields: rootFields }: DocumentLimits,
): GatewayError | null {
  const fragments = fragmentsOf(document);
  const operations = document.definitions.flatMap((definition) =>
    definition.kind === Kind.OPERATION_DEFINITION ? [definition.selectionSet] : [],
  );
  const { size, nesting } = extentOf(operations, fragments);
  const mostFragments = Math.max(fragmentCount.least, Math.floor(tokens / fragmentCount.tokensPerFragment));
  const excess =
    excessOf('size', 'fields with all fragments written out', tokens, size) ??
    excessOf('fragments', 'of them', mostFragments, fragments.size) ??
    excessOf('depth', 'levels of fragments', depth, nesting);
  // What follows takes long for what is beyond these.
  if (excess !== null) return excess;
  const shapes = operations.map((operation) => shapeOf(operation, fragments));
  const most = (name: keyof Shape): number => Math.max(...shapes.map((shape) => shape[name]));
  return (
    excessOf('depth', 'levels', depth, most('depth')) ??
    excessOf('root fields', 'of them', rootFields, most('rootFields')) ??
    excessOf('aliases', 'aliases and repeated fields', aliases, most('aliases'))
  );
}

function excessOf(name: string, counted: string, limit: number, actual: number): GatewayError | null {
  return actual > limit ? tooComplex(name, counted, limit, actual) : null;
}

/** QUERY_TOO_COMPLEX, naming the limit, what it counts, how much of that is allowed and how much was asked for. */
export function tooComplex(name: string, counted: string, limit: number, actual: number): GatewayError {
  return new GatewayError('QUERY_TOO_COMPLEX', {
    message: `The query is beyond the limit for ${name}: ${actual} ${counted}, where ${limit} are allowed. Ask for less at a time.`,
    excess: { limit, actual },
  });
}

/** What operations are with each fragment written out wherever it is spread: their selections, and how deep fragments spread others. */
interface Extent {
  readonly size: number;
  readonly nesting: number;
}

/** Measures each selection set once, however often its fragment is spread. */
function extentOf(operations: readonly SelectionSetNode[], fragments: Fragments): Extent {
  const known = new Map<SelectionSetNode, Extent>();

  function measure({ selections }: SelectionSetNode): Extent {
    let [size, nesting] = [selections.length, 0];
    for (const selection of selections) {
      const inner = innerSetOf(selection, fragments);
      if (inner === undefined) continue;
      const below = known.getOrInsertComputed(inner, measure);
      size = Math.min(size + below.size, Number.MAX_SAFE_INTEGER);
      nesting = Math.max(nesting, below.nesting + (selection.kind === Kind.FRAGMENT_SPREAD ? 1 : 0));
    }
    return { size, nesting };
  }

  const extents = operations.map(measure);
  return {
    size: extents.reduce((sum, { size }) => sum + size, 0),
    nesting: Math.max(...extents.map(({ nesting }) => nesting)),
  };
}

/** The depth and width of an operation. */
interface Shape {
  /** 1 for a field of the operation's own selection. */
  readonly depth: number;
  readonly aliases: number;
  readonly rootFields: number;
}

/** Merges fields of one name at one place, as execution does, and counts them. Repeated fields with selections count as aliases. */
function shapeOf(operation: SelectionSetNode, fragments: Fragments): Shape {
  const shape = { depth: 0, aliases: 0, rootFields: fieldsIn(operation, fragments).length };

  function measure(sets: readonly SelectionSetNode[], depth: number): void {
    shape.depth = Math.max(shape.depth, depth);
    const fields = sets.flatMap((set) => fieldsIn(set, fragments));
    for (const group of Map.groupBy(fields, ({ alias, name }) => (alias ?? name).value).values()) {
      shape.aliases += group.filter(({ alias }) => alias !== undefined).length;
      const [first, ...others] = group.flatMap(({ selectionSet }) => selectionSet ?? []);
      shape.aliases += others.length;
      if (first !== undefined) measure([first, ...others], depth + 1);
    }
  }

  measure([operation], 1);
  return shape;
}
