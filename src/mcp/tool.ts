import type { GraphqlRequest } from '../http/request/graphql-request.ts';
import type { ObjectSchema } from './input-schema.ts';

/** A tool as clients see it (MCP, "Tools"). */
export interface ToolListing {
  /** Letters, digits and `_`, at most `toolNameLength`. */
  readonly name: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  readonly annotations: { readonly readOnlyHint: true; readonly idempotentHint: true };
}

/** The arguments of a call as the client sent them. */
export type ToolArguments = Readonly<Record<string, unknown>>;

/** One call of a tool. */
export interface ToolCall {
  readonly args: ToolArguments;
  readonly request: GraphqlRequest;
  /** Whether the client asked for `structuredContent`. */
  readonly wantsStructured: boolean;
}

/** What a model reads of a call. */
export interface ToolResult {
  readonly content: readonly { readonly type: 'text'; readonly text: string }[];
  readonly isError?: true;
  readonly structuredContent?: Readonly<Record<string, unknown>>;
}

export interface Tool {
  readonly listing: ToolListing;
  /** Never rejects for a failure of the call: that is a result with `isError`. */
  readonly call: (call: ToolCall) => Promise<ToolResult>;
}

/** All tools read, and the same call has the same effect twice. */
export const annotations: ToolListing['annotations'] = { readOnlyHint: true, idempotentHint: true };
