import {
  Kind,
  NoFragmentCyclesRule,
  validate,
  type DocumentNode,
  type GraphQLError,
  type GraphQLSchema,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import type { Limits } from '../config.ts';
import { GatewayError } from '../errors.ts';
import { fieldsIn, fragmentsOf, type Fragments } from '../graphql/document.ts';

/** Fields to validate, per allowed token: several operations may share fragments, and each is validated with all of them. */
export const workPerToken = 2;

/**
 * Names of fragments, one for so many allowed tokens, and some in any case. Where they meet, graphql-js compares each with each other:
 * three hundred at one place take 50 ms, two hundred 20. A fragment of one field takes twelve tokens.
 */
const fragmentNames = { tokensPerName: 15, least: 100 } as const;

/**
 * The limits of a document, whatever its variables are. Tokens bound also its fields, with fragments written out wherever they are spread;
 * aliases also repetitions of a field with a selection at one place.
 */
export type DocumentLimits = Pick<Limits, 'limitTokens' | 'limitDepth' | 'limitAliases' | 'limitRootFields'>;

/**
 * The error for which a document is refused before it is validated; null where it is within the limits. It is QUERY_TOO_COMPLEX for the
 * first limit that is exceeded, or the error of fragment cycles, which have no size. It takes time that grows with the length alone.
 */
export function refusalOf(
  document: DocumentNode,
  schema: GraphQLSchema,
  { limitTokens: tokens, limitDepth: depth, limitAliases: aliases, limitRootFields: rootFields }: DocumentLimits,
): GatewayError | GraphQLError | null {
  const expansion = expansionOf(document);
  if (expansion === null) return validate(schema, document, [NoFragmentCyclesRule])[0] ?? null;
  const { size, work, names, nesting } = expansion;
  const mostNames = Math.max(fragmentNames.least, Math.floor(tokens / fragmentNames.tokensPerName));
  const allWork = 'fields of all operations, with all fragments written out';
  const excess =
    excessOf('size', 'fields with all fragments written out', tokens, size) ??
    excessOf('size', allWork, tokens * workPerToken, work) ??
    excessOf('fragments', 'of them', mostNames, names) ??
    excessOf('depth', 'levels of fragments', depth, nesting);
  // What follows takes long for what is beyond these.
  if (excess !== null) return excess;
  const shape = shapeOf(expansion);
  return (
    excessOf('depth', 'levels', depth, shape.depth) ??
    excessOf('root fields', 'of them', rootFields, shape.rootFields) ??
    excessOf('aliases', 'aliases and repeated fields', aliases, shape.aliases)
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

/** A document with each fragment written out wherever it is spread. */
interface Expansion {
  readonly fragments: Fragments;
  /** From these selections every other is reached. */
  readonly operations: readonly SelectionSetNode[];
  readonly unspread: readonly SelectionSetNode[];
  /** Names of fragments that are defined or spread. */
  readonly names: number;
  /** Selections of the largest of all operations and fragments. */
  readonly size: number;
  /** Selections of all together, each with its fragments: the work of validation. */
  readonly work: number;
  /** How deep fragments are spread within fragments. */
  readonly nesting: number;
}

type Extent = Pick<Expansion, 'size' | 'nesting'>;

/** Measures each fragment once, however often it is spread; null where fragments form a cycle. */
function expansionOf(document: DocumentNode): Expansion | null {
  const fragments = fragmentsOf(document);
  const measure = new Measure(fragments);
  const operations = document.definitions.flatMap((definition) =>
    definition.kind === Kind.OPERATION_DEFINITION ? [definition.selectionSet] : [],
  );
  const ofOperations = operations.map((set) => measure.extentOf(set));
  const all = [...ofOperations, ...[...fragments.keys()].map((name) => measure.extentOfFragment(name))];
  if (measure.isCyclic) return null;
  const unspread = [...fragments].filter(([name]) => !measure.spread.has(name));
  const roots = [...ofOperations, ...unspread.map(([name]) => measure.extentOfFragment(name))];
  return {
    fragments,
    operations,
    unspread: unspread.map(([, { selectionSet }]) => selectionSet),
    names: new Set([...fragments.keys(), ...measure.spread]).size,
    size: Math.max(0, ...all.map(({ size }) => size)),
    work: roots.reduce((sum, { size }) => sum + size, 0),
    nesting: Math.max(0, ...all.map(({ nesting }) => nesting)),
  };
}

class Measure {
  isCyclic = false;
  readonly spread = new Set<string>();
  readonly #fragments: Fragments;
  /** Null while a fragment is being measured. */
  readonly #extents = new Map<string, Extent | null>();

  constructor(fragments: Fragments) {
    this.#fragments = fragments;
  }

  extentOf({ selections }: SelectionSetNode): Extent {
    let [size, nesting] = [0, 0];
    for (const selection of selections) {
      const inner = this.#inner(selection);
      size = Math.min(size + 1 + (inner?.size ?? 0), Number.MAX_SAFE_INTEGER);
      nesting = Math.max(nesting, inner?.nesting ?? 0);
    }
    return { size, nesting };
  }

  #inner(selection: SelectionNode): Extent | undefined {
    if (selection.kind !== Kind.FRAGMENT_SPREAD) return selection.selectionSet && this.extentOf(selection.selectionSet);
    this.spread.add(selection.name.value);
    const { size, nesting } = this.extentOfFragment(selection.name.value);
    return { size, nesting: nesting + 1 };
  }

  extentOfFragment(name: string): Extent {
    const known = this.#extents.get(name);
    if (known === null) this.isCyclic = true;
    if (known != null) return known;
    const fragment = this.#fragments.get(name);
    // Validation refuses an unknown fragment.
    if (fragment === undefined || known === null) return { size: 0, nesting: -1 };
    this.#extents.set(name, null);
    const extent = this.extentOf(fragment.selectionSet);
    this.#extents.set(name, extent);
    return extent;
  }
}

/** The depth and width of a document: those of the operation that has most. */
interface Shape {
  /** 1 for a field of the operation's own selection. */
  readonly depth: number;
  readonly aliases: number;
  readonly rootFields: number;
}

function shapeOf({ fragments, operations, unspread }: Expansion): Shape {
  const shapes = operations.map((set) => shapeIn([set], fragments));
  for (const set of unspread) shapes.push({ ...shapeIn([set], fragments), rootFields: 0 });
  const most = (name: keyof Shape): number => Math.max(0, ...shapes.map((shape) => shape[name]));
  return {
    depth: most('depth'),
    aliases: most('aliases'),
    rootFields: most('rootFields'),
  };
}

/** Merges fields of one name at one place, as execution does, and counts them. Repeated fields with selections count as aliases. */
function shapeIn(sets: readonly SelectionSetNode[], fragments: Fragments): Shape {
  let [depth, aliases, rootFields] = [0, 0, 0];
  const fields = sets.flatMap((set) => fieldsIn(set, fragments));
  for (const group of Map.groupBy(fields, ({ alias, name }) => (alias ?? name).value).values()) {
    const inner = group.flatMap(({ selectionSet }) => selectionSet ?? []);
    const below = inner.length === 0 ? null : shapeIn(inner, fragments);
    depth = Math.max(depth, 1 + (below?.depth ?? 0));
    aliases += group.filter(({ alias }) => alias !== undefined).length;
    aliases += Math.max(0, inner.length - 1) + (below?.aliases ?? 0);
    rootFields += group.length;
  }
  return { depth, aliases, rootFields };
}
