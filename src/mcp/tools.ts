import { fileURLToPath } from 'node:url';
import {
  Kind,
  OperationTypeNode,
  getOperationAST,
  print,
  separateOperations,
  visit,
  type DocumentNode,
  type ExecutionResult,
  type OperationDefinitionNode,
} from 'graphql';
import { badArgument } from '../errors.ts';
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
import { Run } from '../http/operation-run.ts';
import type { Request } from '../http/request/request.ts';
import { operationRefusal } from '../http/response/error-response.ts';
import { type JsonObject, isJsonObject } from '../json.ts';
import { createArgumentNames, type ArgumentNames, inputSchemaOf, oneLine, objectSchema } from './arguments.ts';
import { createTool, operationResult, runOperation, type Tool, type ToolCall, type ToolParts } from './tool.ts';

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
  const pages = pagePathsOf(operationOf(withoutSpreads(document)));

  /** Says how the next page is asked for, where there is one. */
  function pageNotes(data: object): readonly string[] {
    const notes = pages.flatMap(({ path, variable }) => {
      const cursor = nextCursorAt(data, path);
      if (cursor === null) return [];
      return `There are more rows (nextCursor): call ${name} again with the same arguments and ${variable}: "${cursor}".`;
    });
    return [...new Set(notes)];
  }

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
        pageNotes,
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

/** A connection of an operation whose next page a variable asks for. */
interface PagePath {
  /** The names that lead to the connection in the response. */
  readonly path: readonly string[];
  /** The variable that stands at its argument `after`. */
  readonly variable: string;
}

/** Finds the connections whose argument `after` is a variable; one that is selected twice is found twice. */
function pagePathsOf(operation: OperationDefinitionNode): readonly PagePath[] {
  const found: PagePath[] = [];
  const path: string[] = [];
  visit(operation, {
    Field: {
      enter({ alias, name, arguments: args = [] }) {
        path.push(alias?.value ?? name.value);
        const value = args.find((argument) => argument.name.value === 'after')?.value;
        if (value?.kind === Kind.VARIABLE) found.push({ path: [...path], variable: value.name.value });
      },
      leave: () => void path.pop(),
    },
  });
  return found;
}

/** Returns the cursor of the next page of a connection in the data; null where there is none, or where it was not selected. */
function nextCursorAt(data: unknown, path: readonly string[]): string | null {
  const { pageInfo } = membersOf(path.reduce((value, key) => membersOf(value)[key], data));
  const { hasNextPage, endCursor } = membersOf(pageInfo);
  return hasNextPage === true && typeof endCursor === 'string' ? endCursor : null;
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
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
