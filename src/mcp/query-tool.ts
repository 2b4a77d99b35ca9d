import { getOperationAST, GraphQLError, OperationTypeNode, type DocumentNode, type ExecutionResult } from 'graphql';
import { badArgument, GatewayError } from '../errors.ts';
import { Run } from '../http/operation-run.ts';
import type { Request } from '../http/request/request.ts';
import { operationRefusal, requestError } from '../http/response/error-response.ts';
import { isIncremental } from '../http/documents.ts';
import { isJsonObject, type JsonObject } from '../json.ts';
import type { ArgumentNames } from './argument-names.ts';
import { objectSchema } from './input-schema.ts';
import { createTool, operationResult, runOperation, type Tool, type ToolCall, type ToolParts } from './tool.ts';

/** No document of a tool may have this name. */
export const queryToolName = 'run_query';

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
  if ('kind' in read) return runOperation(execution, read, values, request);
  return execution.finish({ errors: read }, new Run(request, undefined, operationRefusal(...read)));
}

/** Returns the document of a text, or the errors for which it does not run. */
function readQuery(text: string, { reader }: ToolParts): DocumentNode | readonly GraphQLError[] {
  const document = parse(text, reader);
  if (document instanceof GraphQLError) return [document];
  const errors = reader.errorsOf(document);
  if (errors.length > 0) return errors;
  if (getOperationAST(document, null)?.operation !== OperationTypeNode.QUERY)
    return [requestError(badArgument(['query'], 'The document must hold one operation, which is a query.'))];
  if (isIncremental(document))
    return [requestError(badArgument(['query'], 'The response comes whole: leave out @defer.'))];
  return document;
}

function parse(text: string, reader: ToolParts['reader']): DocumentNode | GraphQLError {
  try {
    return reader.read(text);
  } catch (error) {
    if (error instanceof GatewayError || error instanceof GraphQLError) return requestError(error);
    throw error;
  }
}
