import {
  GraphQLError,
  parse,
  TokenKind,
  type ASTNode,
  type DocumentNode,
  type SourceLocation,
  type Token,
} from 'graphql';
import { tooComplex, type DocumentLimits } from './document-limits.ts';

/** Lines that every document may have, and lines per allowed token above that: comments are no tokens that the parser counts. */
const documentLines = { least: 1_000, perToken: 1 } as const;

/** Characters of a name or a number in a document. Errors repeat names, one of them for each operation. */
export const nameLength = 1_024;

const bounded: ReadonlySet<string> = new Set([TokenKind.NAME, TokenKind.INT, TokenKind.FLOAT]);

/**
 * Parses a document of bounded length. Drops its text and the chain of its tokens, which take more memory than all the rest; the place
 * of a node is known from its own token (`placeOf`). Throws QUERY_TOO_COMPLEX, or a GraphQLError for a text that is no document.
 */
export function readDocument(text: string, { limitTokens: tokens }: Pick<DocumentLimits, 'limitTokens'>): DocumentNode {
  const mostLines = Math.max(documentLines.least, tokens * documentLines.perToken);
  for (const lineBreak of ['\n', '\r']) {
    const lines = linesOf(text, lineBreak, mostLines);
    if (lines > mostLines) throw tooComplex('size', 'lines or more', mostLines, lines);
  }
  const document = parseWithin(text, tokens);
  for (let token = document.loc?.startToken ?? null; token !== null; token = unchained(token))
    if (lengthOf(token) > nameLength) throw tooComplex('size', 'characters of a name', nameLength, lengthOf(token));
  if (document.loc !== undefined) document.loc.source.body = '';
  return document;
}

/** Lines of a text, counted no further than one beyond `most`. */
function linesOf(text: string, lineBreak: string, most: number): number {
  let lines = 1;
  for (let at = text.indexOf(lineBreak); at >= 0 && lines <= most; at = text.indexOf(lineBreak, at + 1)) lines++;
  return lines;
}

/** The length of a name or a number; 0 for any other token. */
function lengthOf({ kind, start, end }: Token): number {
  return bounded.has(kind) ? end - start : 0;
}

/** Where a node stands in the document that it was read from; undefined for one that was not read. */
export function placeOf({ loc }: ASTNode): SourceLocation | undefined {
  if (loc === undefined) return undefined;
  const { startToken: token } = loc;
  // The first token of a document stands for its beginning, and has no place.
  return token.line === 0 ? { line: 1, column: 1 } : { line: token.line, column: token.column };
}

function parseWithin(text: string, maxTokens: number): DocumentNode {
  try {
    return parse(text, { maxTokens });
  } catch (error) {
    if (isTooLong(error)) throw tooComplex('size', 'tokens or more', maxTokens, maxTokens + 1);
    if (error instanceof GraphQLError) error.extensions['code'] = 'GRAPHQL_PARSE_FAILED';
    throw error;
  }
}

/** Takes a token out of its chain; returns the next. */
function unchained(token: Token): Token | null {
  const { next } = token;
  Object.assign(token, { prev: null, next: null });
  return next;
}

// graphql-js marks the error by its message only. Text of the client is quoted behind other words.
function isTooLong(error: unknown): boolean {
  return (
    error instanceof GraphQLError && /^Syntax Error: Document contains more tha[nt] \d+ tokens/.test(error.message)
  );
}
