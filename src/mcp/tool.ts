import { getOperationAST, type DocumentNode, type ExecutionResult, type GraphQLSchema } from 'graphql';
import { quoteLength } from '../bounds.ts';
import { badArgument, GatewayError } from '../errors.ts';
import { type GraphqlExecution, Run } from '../http/operation-run.ts';
import type { Request } from '../http/request/request.ts';
import { reportFailure } from '../http/response/error-response.ts';
import { digitsOf, type JsonObject } from '../json.ts';
import type { DocumentReader } from '../limits/validation.ts';
import type { ArgumentNames } from './argument-names.ts';
import type { ObjectSchema, ValueSchema } from './input-schema.ts';
import { dataResult, errorResult, usableData, type ToolResult } from './tool-result.ts';

/** A tool as clients see it (MCP, "Tools"). */
export interface ToolListing {
  /** Letters, digits and `_`, at most `toolNameLength`. */
  readonly name: string;
  /** The name in words, which hosts show to people. */
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  readonly annotations: { readonly readOnlyHint: true; readonly idempotentHint: true };
}

/** One call of a tool. */
export interface ToolCall {
  /** As the client sent them. */
  readonly args: JsonObject;
  readonly request: Request;
  /** Whether the client asked for `structuredContent`. */
  readonly wantsStructured: boolean;
}

export interface Tool {
  readonly listing: ToolListing;
  /** Never rejects for a failure of the call: that is a result with `isError`. */
  readonly call: (call: ToolCall) => Promise<ToolResult>;
}

/** The parts that all tools share. */
export interface ToolParts {
  readonly schema: GraphQLSchema;
  /** That of free queries has a cost limit of its own. */
  readonly execution: GraphqlExecution;
  readonly reader: DocumentReader;
}

/** How a tool differs from others. */
export interface ToolDefinition extends Omit<ToolListing, 'title' | 'annotations'> {
  readonly names: ArgumentNames;
  /** Gets the arguments without those that are null. What it throws becomes a result with `isError`. */
  readonly run: (args: JsonObject, call: ToolCall) => Promise<ToolResult> | ToolResult;
}

export function createTool({ names, run, name, ...rest }: ToolDefinition): Tool {
  const listing = { name, title: titleOf(name), ...rest };
  return {
    // All tools read, and the same call has the same effect twice.
    listing: { ...listing, annotations: { readOnlyHint: true, idempotentHint: true } },
    async call(call) {
      const { request } = call;
      try {
        return await run(givenArguments(call.args, listing.inputSchema, request), call);
      } catch (error) {
        return errorResult(reportFailure(error, request), request.requestId, names);
      }
    },
  };
}

/** `spend_by_month` is "Spend by month". */
function titleOf(name: string): string {
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Models send null for what they leave out. Throws BAD_USER_INPUT for an argument that is not there, and for one beyond its bounds. */
function givenArguments(
  args: JsonObject,
  { properties, required = [] }: ObjectSchema,
  request: Pick<Request, 'hideKey'>,
): JsonObject {
  const known = Object.keys(properties);
  const unknown = Object.keys(args).find((name) => !Object.hasOwn(properties, name));
  if (unknown !== undefined) {
    const shown = request.hideKey(unknown, quoteLength);
    throw new GatewayError('BAD_USER_INPUT', {
      message: `There is no argument "${shown}". ${known.length === 0 ? 'This tool takes none.' : `There are: ${known.join(', ')}.`}`,
      argument: [shown],
    });
  }
  const given = Object.entries(args).filter(([name, value]) => value !== null || required.includes(name));
  for (const [name, value] of given) checkBounds(name, value, properties[name] ?? {});
  return Object.fromEntries(given);
}

function checkBounds(name: string, value: unknown, { minimum = -Infinity, maximum = Infinity }: ValueSchema): void {
  const digits = digitsOf(value);
  if (digits === undefined || (Number(digits) >= minimum && Number(digits) <= maximum)) return;
  throw badArgument([name], `${name} must be from ${minimum} to ${maximum}; it was ${digits.slice(0, quoteLength)}.`);
}

/** Runs an operation as `/graphql` does: by the same rules, and with nothing of it shared with another call. */
export async function runOperation(
  execution: GraphqlExecution,
  document: DocumentNode,
  variables: JsonObject,
  request: Request,
): Promise<ExecutionResult> {
  const definition = getOperationAST(document) ?? null;
  const run = new Run(request, { document, definition, operationName: null, variables });
  execution.begin(run);
  return execution.finish(await execution.execute(run), run);
}

/** Creates the result of a call by that of its operation. `notesOf` returns sentences for the model. */
export function operationResult(
  { data, errors }: ExecutionResult,
  { request, wantsStructured }: ToolCall,
  names: ArgumentNames,
  notesOf: (data: object) => readonly string[] = () => [],
): ToolResult {
  if (errors !== undefined) return errorResult(errors, request.requestId, names, usableData(data));
  return dataResult(data ?? {}, notesOf(data ?? {}), wantsStructured);
}
