import { fileURLToPath } from 'node:url';
import {
  Kind,
  OperationTypeNode,
  getOperationAST,
  print,
  separateOperations,
  type DocumentNode,
  type ExecutionResult,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { quoteLength } from '../bounds.ts';
import { badArgument, GatewayError } from '../errors.ts';
import { withoutSpreads } from '../graphql/document.ts';
import {
  attempt,
  readForSetting,
  readOperationTexts,
  shownId,
  type OperationText,
  readTrustedDocument,
  isIncremental,
} from '../http/documents.ts';
import { type GraphqlExecution, Run } from '../http/operation-run.ts';
import type { Request } from '../http/request/request.ts';
import { operationRefusal, reportFailure } from '../http/response/error-response.ts';
import { digitsOf, type JsonObject, isJsonObject } from '../json.ts';
import type { DocumentReader } from '../limits/document-reader.ts';
import {
  createArgumentNames,
  type ArgumentNames,
  inputSchemaOf,
  oneLine,
  objectSchema,
  type ObjectSchema,
  type ValueSchema,
} from './arguments.ts';
import { errorResult, operationResult, pageNotesOf, type ToolCall, type ToolResult } from './tool-result.ts';

/** A tool as clients see it (MCP, "Tools"). */
interface ToolListing {
  /** Letters, digits and `_`, at most `toolNameLength`. */
  readonly name: string;
  /** The name in words, which hosts show to people. */
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  readonly annotations: { readonly readOnlyHint: true; readonly idempotentHint: true };
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
interface ToolDefinition extends Omit<ToolListing, 'title' | 'annotations'> {
  readonly names: ArgumentNames;
  /** Gets the arguments without those that are null. What it throws becomes a result with `isError`. */
  readonly run: (args: JsonObject, call: ToolCall) => Promise<ToolResult> | ToolResult;
}

/** Tools that one gateway has. A model reads the whole list, and hosts take about a hundred. */
export const mostTools = 100;

/** Characters of the name of a tool: hosts put the name of the server before it, and refuse more than 128 in all. */
const toolNameLength = 64;

/** Characters of the description of a tool: some sentences. */
const toolDescriptionLength = 2_000;

const curated = fileURLToPath(new URL('operations', import.meta.url));

/**
 * Reads the tools that come with the gateway, and then those of `path`: a folder or manifest in the forms of
 * PERSISTED_OPERATIONS. Throws an error of one line, for whoever starts the process, that names the document at fault.
 */
export function readTools(path: string | null, parts: ToolParts): readonly Tool[] {
  return readForSetting('MCP_OPERATIONS', () => {
    const tools = new Map<string, Tool>();
    const texts = [...readOperationTexts(curated), ...(path === null ? [] : readOperationTexts(path))];
    for (const text of texts.flatMap((each) => operationsIn(each, parts))) {
      const tool = toolOf(text, parts);
      const { name } = tool.listing;
      if (tools.has(name) || name === queryToolName)
        throw new Error(`operation ${shownId(text.id)}: there is another tool with the name ${name}`);
      tools.set(name, tool);
    }
    if (tools.size > mostTools) throw new Error(`there are ${tools.size} tools, and ${mostTools} are allowed`);
    return [...tools.values()];
  });
}

/** A text for each operation of a document, with the fragments that it needs. A single one stays as it is, with its comment. */
function operationsIn(whole: OperationText, { reader }: ToolParts): readonly OperationText[] {
  const document = attempt(`operation ${shownId(whole.id)} cannot be parsed`, () => reader.read(whole.text));
  const operations = document.definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION);
  if (operations.length < 2) return [whole];
  const others = document.definitions.filter(({ kind }) => kind !== Kind.OPERATION_DEFINITION);
  return operations.flatMap((operation) =>
    Object.values(separateOperations({ ...document, definitions: [operation, ...others] })).map((each) => ({
      ...whole,
      text: print(each),
    })),
  );
}

function toolOf({ id, text }: OperationText, parts: ToolParts): Tool {
  const document = readTrustedDocument(id, text, parts.reader);
  return attempt(`operation ${shownId(id)} cannot be a tool`, () => {
    if (isIncremental(document)) throw new Error('it asks for its response in pieces, and a tool answers whole');
    return createOperationTool(document, commentOf(text), parts);
  });
}

/** Returns the comment with which a document begins: Apollo describes tools so. */
function commentOf(text: string): string {
  const [comment = ''] = /^(?:\s*#[^\n]*\n)*/.exec(text) ?? [];
  return comment.replaceAll(/^\s*#+/gm, '');
}

/**
 * Makes a tool of a trusted document: one query with a name and a description. `comment` describes it where the operation has no
 * description. Throws an error of one line where the document cannot be a tool.
 */
function createOperationTool(document: DocumentNode, comment: string, parts: ToolParts): Tool {
  const { schema, execution } = parts;
  const operation = operationOf(document);
  const name = toolNameOf(operation);
  const inputSchema = inputSchemaOf(schema, document, operation);
  const hint = (argument: string): string | undefined => inputSchema.properties[argument]?.description;
  const names = { ...createArgumentNames(document, operation), hint };
  const definition = {
    name,
    description: descriptionOf(operation, comment),
    inputSchema,
    names,
    run: async (variables: JsonObject, call: ToolCall) =>
      operationResult(
        await runOperation(execution, document, operation, variables, call.request),
        call,
        names,
        pageNotesOf(name, operationOf(withoutSpreads(document))),
      ),
  };
  return createTool(definition);
}

function operationOf({ definitions }: DocumentNode): OperationDefinitionNode {
  const operation = definitions.find((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  if (operation === undefined) throw new Error('it holds no operation');
  if (operation.operation !== OperationTypeNode.QUERY)
    throw new Error(`it is a ${operation.operation}, and a tool is a query`);
  return operation;
}

/** The name of an operation in the form that all hosts take: `SpendByMonth` is `spend_by_month`. */
function toolNameOf({ name }: OperationDefinitionNode): string {
  if (name === undefined) throw new Error('its operation has no name');
  const words = name.value.replaceAll(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, '_').toLowerCase();
  if (words.length > toolNameLength) throw new Error(`its name is longer than ${toolNameLength} characters`);
  return words;
}

function descriptionOf({ description }: OperationDefinitionNode, comment: string): string {
  const text = oneLine(description?.value ?? comment);
  if (text === '') throw new Error('its operation has no description');
  if (text.length > toolDescriptionLength)
    throw new Error(`its description is longer than ${toolDescriptionLength} characters`);
  return text;
}

function createTool({ names, run, name, ...rest }: ToolDefinition): Tool {
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
async function runOperation(
  execution: GraphqlExecution,
  document: DocumentNode,
  definition: OperationDefinitionNode,
  variables: JsonObject,
  request: Request,
): Promise<ExecutionResult> {
  const run = new Run(request, { document, definition, variables });
  execution.begin(run);
  // No tool is a subscription.
  return execution.finish((await execution.execute(run)) as ExecutionResult, run);
}

/** No document of a tool may have this name. */
const queryToolName = 'run_query';

const names: ArgumentNames = { variables: ['variables'], find: (_path, argument) => ({ argument }) };

const purpose = 'Runs a GraphQL query. Select few fields and rows; there is a limit of cost.';
const wayToSchema =
  'Ask for the schema first, a type at a time: { __type(name: "Query") { fields { name description args { name type { name kind ofType { name } } } type { name kind ofType { name } } } } }; GET /schema.graphql has all of it.';

/** Creates the tool that runs a query of the model's own. Its description says how to read the schema where clients may. */
export function createQueryTool(parts: ToolParts, isIntrospectable: boolean): Tool {
  const query = {
    type: 'string',
    description: 'One query, e.g. { missions(first: 3) { nodes { id name } } }',
  } as const;
  const variables = { type: 'object', description: 'Values of its variables' } as const;
  const definition = {
    name: queryToolName,
    description: isIntrospectable ? `${purpose} ${wayToSchema}` : purpose,
    inputSchema: objectSchema({ query, variables }, ['query']),
    names,
    async run({ query: text, variables: values = {} }: JsonObject, call: ToolCall) {
      if (typeof text !== 'string') throw badArgument(['query'], 'query must be the text of a GraphQL query.');
      if (!isJsonObject(values)) throw badArgument(['variables'], 'variables must be an object.');
      return operationResult(await runText(text, values, parts, call.request), call, names);
    },
  };
  return createTool(definition);
}

async function runText(text: string, values: JsonObject, parts: ToolParts, request: Request): Promise<ExecutionResult> {
  const { execution } = parts;
  const read = readQuery(text, parts);
  if ('kind' in read) return runOperation(execution, read, operationOf(read), values, request);
  const refusal = operationRefusal(...read);
  return execution.finish({ errors: refusal.errors }, new Run(request, undefined, refusal));
}

/** Returns the document of a text, or the errors for which it does not run. */
function readQuery(text: string, { reader }: ToolParts): DocumentNode | readonly Error[] {
  try {
    const document = reader.read(text);
    const errors = reader.errorsOf(document);
    if (errors.length > 0) return errors;
    if (getOperationAST(document)?.operation !== OperationTypeNode.QUERY)
      throw badArgument(['query'], 'The document must hold one operation, which is a query.');
    if (isIncremental(document)) throw badArgument(['query'], 'The response comes whole: leave out @defer.');
    return document;
  } catch (error) {
    return [error as Error];
  }
}
