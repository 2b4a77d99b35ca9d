import { NoFragmentCyclesRule, validate, type DocumentNode, type GraphQLError, type GraphQLSchema } from 'graphql';
import { repetitionsPerAlias, workPerToken } from '../bounds.ts';
import type { GatewayError } from '../errors.ts';
import { createExpansion } from './expansion.ts';
import { shapeOf } from './shape.ts';
import { tooComplex } from './too-complex.ts';

/** The limits of a document, whatever its variables are. */
export interface DocumentLimits {
  /** Tokens; of a document with its fragments written out wherever they are spread, fields. */
  readonly tokens: number;
  /** Levels of fields, and of fragments within fragments. */
  readonly depth: number;
  /** Aliases of one operation, and repetitions of a field with a selection at one place; of a leaf, `repetitionsPerAlias` times as many. */
  readonly aliases: number;
  /** Fields of an operation's own selection, repetitions included. */
  readonly rootFields: number;
}

/**
 * The error for which a document is refused before it is validated; null where it is within the limits. It is QUERY_TOO_COMPLEX for the
 * first limit that is exceeded, or the error of fragment cycles, which have no size. It takes time that grows with the length alone.
 */
export function refusalOf(
  document: DocumentNode,
  schema: GraphQLSchema,
  { tokens, depth, aliases, rootFields }: DocumentLimits,
): GatewayError | GraphQLError | null {
  const expansion = createExpansion(document);
  if (expansion === null) return validate(schema, document, [NoFragmentCyclesRule])[0] ?? null;
  if (expansion.size > tokens)
    return tooComplex('size', `fields with all fragments written out`, tokens, expansion.size);
  const mostWork = tokens * workPerToken;
  if (expansion.work > mostWork)
    return tooComplex(
      'size',
      'fields and values of all operations, with all fragments written out',
      mostWork,
      expansion.work,
    );
  if (expansion.nesting > depth) return tooComplex('depth', 'levels of fragments', depth, expansion.nesting);
  const shape = shapeOf(document, expansion);
  if (shape.depth > depth) return tooComplex('depth', 'levels', depth, shape.depth);
  if (shape.rootFields > rootFields) return tooComplex('root fields', 'of them', rootFields, shape.rootFields);
  if (shape.aliases > aliases) return tooComplex('aliases', 'aliases and repeated fields', aliases, shape.aliases);
  const mostRepetitions = aliases * repetitionsPerAlias;
  if (shape.repetitions > mostRepetitions)
    return tooComplex('repetitions', 'of one field at one place', mostRepetitions, shape.repetitions);
  return null;
}
