import { GatewayError, GatewayErrors, type ArgumentPath, type ErrorCode, type ErrorDetails } from '../../errors.ts';
import { sourceTokens, type Call } from '../call.ts';

/** The places to which an error's body points, by their names; the most reliable comes first. */
export type Sources = readonly (readonly string[])[];

/** Where an error's body says that the fault lies. */
export interface SourceFields {
  readonly parameter?: string | undefined;
  readonly pointer?: string | undefined;
  /** The `loc` of the missions' dialect. */
  readonly loc?: unknown;
}

/**
 * An error that a response's body reports. It keeps its sources: callers who share a call may have given different arguments
 * for the same parameter.
 */
export class ReportedError extends GatewayError {
  readonly #sources: Sources;

  constructor(code: ErrorCode, details: Omit<ErrorDetails, 'argument'>, sources: Sources, call: Call<unknown>) {
    const argument = argumentOf(call, sources);
    super(code, { ...details, ...(argument !== undefined && { argument }) });
    this.#sources = sources;
  }

  /** The same error with the argument of another call that shares the response. */
  forCall(call: Call<unknown>): GatewayError {
    return this.withArgument(argumentOf(call, this.#sources));
  }
}

/** A failure as it is for one of the calls that share its response. */
export function failureFor(call: Call<unknown>, failure: unknown): unknown {
  if (failure instanceof ReportedError) return failure.forCall(call);
  if (!(failure instanceof GatewayErrors)) return failure;
  const errors = failure.errors.map((error) => (error instanceof ReportedError ? error.forCall(call) : error));
  return new GatewayErrors(errors, failure.more);
}

/** The argument to which the first source that can be traced points. */
function argumentOf(call: Call<unknown>, sources: Sources): ArgumentPath | undefined {
  return sources.map(call.traceArgument).find((argument) => argument !== undefined);
}

/** The sources in the body of one error. */
export function sourcesIn({ parameter, pointer, loc }: SourceFields): Sources {
  return [sourceTokens(percentDecoded(parameter ?? '')), pointerTokens(pointer ?? ''), locTokens(loc)];
}

/** RFC 6901: `/filter/connection_name~1x` → `["filter", "connection_name/x"]`; also as a URI fragment (section 6). */
function pointerTokens(pointer: string): readonly string[] {
  const plain = pointer.startsWith('#') ? percentDecoded(pointer.slice(1)) : pointer;
  const tokens = plain.split('/').slice(1);
  return tokens.map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~')).flatMap(sourceTokens);
}

/** `["query", "page[size]", 0]` → `["page", "size"]`. */
function locTokens(loc: unknown): readonly string[] {
  if (!Array.isArray(loc)) return [];
  const tokens = loc.filter((part) => typeof part === 'string').flatMap(sourceTokens);
  return tokens[0] === 'query' ? tokens.slice(1) : tokens;
}

function percentDecoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
