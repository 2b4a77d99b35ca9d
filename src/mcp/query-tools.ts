import { getOperationAST, GraphQLError, OperationTypeNode, type DocumentNode, type ExecutionResult } from 'graphql';
import { argumentTextBytes } from '../bounds.ts';
import { badArgument, GatewayError } from '../errors.ts';
import { refusedRun, type GraphqlExecution } from '../http/graphql-execution.ts';
import type { GraphqlRequest } from '../http/request/graphql-request.ts';
import { createIncrementalCheck } from '../http/response/incremental.ts';
import { requestError } from '../http/response/error-response.ts';
import { isJsonObject } from '../json.ts';
import type { DocumentLimits } from '../limits/document-limits.ts';
import { readDocument } from '../limits/document-text.ts';
import type { ArgumentNames } from './argument-names.ts';
import { objectSchema } from './input-schema.ts';
import { variablesOf, type ToolParts } from './operation-tool.ts';
import { createSchemaSearch } from './schema-search.ts';
import { annotations, type Tool, type ToolArguments } from './tool.ts';
import { dataResult, errorResult, textResult, usableData } from './tool-result.ts';
import { runOperation } from './tool-run.ts';

/** The parts of free queries. Their execution has a cost limit of its own. */
export interface QueryToolParts extends ToolParts {
  readonly documentLimits: Pick<DocumentLimits, 'tokens'>;
}

/** The names of these tools, which no document may have. */
export const queryToolNames = { search: 'search_schema', run: 'run_query' } as const;

/** Creates the tool that finds the types and fields for some words. */
export function createSearchTool({ schema, reportFailure }: ToolParts): Tool {
  const search = createSchemaSearch(schema);
  const words = { type: 'string', description: 'What to look for, e.g. failed webhook deliveries' } as const;
  const inputSchema = objectSchema({ words }, ['words']);
  return {
    listing: {
      name: queryToolNames.search,
      description:
        'The few types and fields of the GraphQL schema that matter for some words. Use it before run_query.',
      inputSchema,
      annotations,
    },
    async call({ args, request: { exchange } }) {
      try {
        const { words: text } = variablesOf(args, inputSchema, exchange);
        if (typeof text !== 'string') throw badArgument(['words'], 'words must be a text.');
        if (Buffer.byteLength(text) > argumentTextBytes)
          throw badArgument(['words'], `words must have at most ${argumentTextBytes} bytes.`);
        return textResult(search(text));
      } catch (error) {
        return errorResult(reportFailure(error, exchange), exchange.requestId, ownNames);
      }
    },
  };
}

/** Creates the tool that runs a query of the model's own. */
export function createQueryTool(parts: QueryToolParts): Tool {
  const { execution, reportFailure } = parts;
  const query = {
    type: 'string',
    description: 'One query, e.g. { missions(first: 3) { nodes { id name } } }',
  } as const;
  const variables = { type: 'object', description: 'Values of its variables' } as const;
  const inputSchema = objectSchema({ query, variables }, ['query']);
  return {
    listing: {
      name: queryToolNames.run,
      description: 'Runs a GraphQL query. Select few fields and rows; there is a limit of cost.',
      inputSchema,
      annotations,
    },
    async call({ args, request, wantsStructured }) {
      const { exchange } = request;
      try {
        const given = variablesOf(args, inputSchema, exchange);
        const result = await runText(textOf(given), variablesIn(given), parts, request);
        if (result.errors === undefined) return dataResult(result.data ?? {}, [], wantsStructured);
        return errorResult(result.errors, exchange.requestId, queryNames, usableData(result.data));
      } catch (error) {
        return errorResult(reportFailure(error, exchange), exchange.requestId, ownNames);
      }
    },
  };

  async function runText(
    text: string,
    values: ToolArguments,
    { documentLimits }: QueryToolParts,
    request: GraphqlRequest,
  ): Promise<ExecutionResult> {
    const document = read(text, documentLimits);
    const errors = 'kind' in document ? faultsOf(document, execution) : [document];
    if (errors.length > 0 || !('kind' in document)) return execution.finish({ errors }, refusedRun(request));
    return runOperation(execution, document, values, request);
  }
}

const isIncremental = createIncrementalCheck();

/** Returns the document of a text, or the error for which there is none. */
function read(text: string, limits: Pick<DocumentLimits, 'tokens'>): DocumentNode | GraphQLError {
  try {
    return readDocument(text, limits);
  } catch (error) {
    if (error instanceof GatewayError) return requestError(error);
    if (!(error instanceof GraphQLError)) throw error;
    return Object.assign(error, { extensions: { code: 'GRAPHQL_PARSE_FAILED' } });
  }
}

function faultsOf(document: DocumentNode, { checkDocument }: GraphqlExecution): readonly GraphQLError[] {
  const errors = checkDocument(document);
  // As Yoga does: an error that says what is wrong with the document has no code of its own.
  for (const { originalError, extensions } of errors)
    if (originalError === undefined) extensions['code'] ??= 'GRAPHQL_VALIDATION_FAILED';
  if (errors.length > 0) return errors;
  if (getOperationAST(document, null)?.operation !== OperationTypeNode.QUERY)
    return [requestError(badArgument(['query'], 'The document must hold one operation, which is a query.'))];
  if (isIncremental(document))
    return [requestError(badArgument(['query'], 'The response comes whole: leave out @defer and @stream.'))];
  return [];
}

function textOf({ query }: ToolArguments): string {
  if (typeof query === 'string') return query;
  throw badArgument(['query'], 'query must be the text of a GraphQL query.');
}

function variablesIn({ variables = {} }: ToolArguments): ToolArguments {
  if (isJsonObject(variables)) return variables;
  throw badArgument(['variables'], 'variables must be an object.');
}

const ownNames: ArgumentNames = {
  ofField: (_path, argument) => argument,
  ofVariable: (name) => [name],
  within: () => [],
};
const queryNames: ArgumentNames = {
  ofField: (_path, argument) => argument,
  ofVariable: (name) => ['variables', name],
  within: () => [],
};
