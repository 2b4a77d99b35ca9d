import { NoFragmentCyclesRule, validate, type DocumentNode, type GraphQLError, type GraphQLSchema } from 'graphql';
import { repetitionsPerAlias, workPerToken } from '../bounds.ts';
import type { GatewayError } from '../errors.ts';
import { createExpansion } from './expansion.ts';
import { shapeOf } from './shape.ts';
import { tooComplex } from './too-complex.ts';

/** What a document may be at most, whatever its variables are. */
export interface DocumentLimits {
  /** Tokens; of a document with its fragments written out wherever they are spread, fields. */
  readonly tokens: number;
  /** Levels of fields, and of fragments within fragments. */
  readonly depth: number;
  /** Aliases, and repetitions of a field with a selection at one place, of one operation; of one field, `repetitionsPerAlias` times as many. */
  readonly aliases: number;
  /** Fields of an operation's own selection, repetitions included. */
  readonly rootFields: number;
}

/**
 * What a document is refused for before it is validated, in time that grows with its length alone: QUERY_TOO_COMPLEX for
 * the first limit that it is beyond, or its fragment cycles, which nothing could measure. Null where it is within.
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
