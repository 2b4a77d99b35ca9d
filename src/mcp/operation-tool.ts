import {
  Kind,
  OperationTypeNode,
  type DocumentNode,
  type GraphQLError,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { quoteLength, toolDescriptionLength, toolNameLength } from '../bounds.ts';
import { GatewayError } from '../errors.ts';
import type { GraphqlExecution } from '../http/graphql-execution.ts';
import type { Exchange } from '../http/request/exchange.ts';
import { createArgumentNames } from './argument-names.ts';
import { inputSchemaOf, type ObjectSchema } from './input-schema.ts';
import { nextCursorAt, pagePathsOf } from './page-paths.ts';
import { annotations, type Tool, type ToolArguments } from './tool.ts';
import { dataResult, errorResult, usableData } from './tool-result.ts';
import { runOperation } from './tool-run.ts';

/** Formats a failure for the client by the rules of `/graphql`, and notes its codes for the log and the metrics. */
export type ReportFailure = (failure: unknown, exchange: Exchange) => readonly GraphQLError[];

/** The parts that all tools share. */
export interface ToolParts {
  readonly schema: GraphQLSchema;
  readonly execution: GraphqlExecution;
  readonly reportFailure: ReportFailure;
}

/**
 * Makes a tool of a trusted document: one query with a name and a description. `comment` describes it where the operation has no
 * description. Throws an error of one line where the document cannot be a tool.
 */
export function createOperationTool(document: DocumentNode, comment: string, parts: ToolParts): Tool {
  const { schema, execution, reportFailure } = parts;
  const operation = operationOf(document);
  const name = toolNameOf(operation);
  const inputSchema = inputSchemaOf(schema, document, operation);
  const names = createArgumentNames(document, operation);
  const pages = pagePathsOf(operation);

  /** Says how the next page is asked for, where there is one. */
  function pageNotes(data: object): readonly string[] {
    return pages.flatMap(({ path, variable }) => {
      const cursor = nextCursorAt(data, path);
      if (cursor === null) return [];
      return [
        `There are more rows (nextCursor): call ${name} again with the same arguments and ${variable}: "${cursor}".`,
      ];
    });
  }

  return {
    listing: { name, description: descriptionOf(operation, comment), inputSchema, annotations },
    async call({ args, request, wantsStructured }) {
      const { exchange } = request;
      try {
        const variables = variablesOf(args, inputSchema, exchange);
        const { data, errors } = await runOperation(execution, document, variables, request);
        if (errors !== undefined) return errorResult(errors, exchange.requestId, names, usableData(data));
        return dataResult(data ?? {}, pageNotes(data ?? {}), wantsStructured);
      } catch (error) {
        return errorResult(reportFailure(error, exchange), exchange.requestId, names);
      }
    },
  };
}

function operationOf({ definitions }: DocumentNode): OperationDefinitionNode {
  const operations = definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  const [operation] = operations;
  if (operation === undefined || operations.length > 1)
    throw new Error(`it holds ${operations.length} operations, and a tool is one`);
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
  const text = (description?.value ?? comment).replaceAll(/\s+/g, ' ').trim();
  if (text === '') throw new Error('its operation has no description');
  if (text.length > toolDescriptionLength)
    throw new Error(`its description is longer than ${toolDescriptionLength} characters`);
  return text;
}

/** Returns the variables of a call. Models send null for what they leave out. Throws BAD_USER_INPUT for an argument that is not there. */
export function variablesOf(
  args: ToolArguments,
  { properties, required = [] }: ObjectSchema,
  exchange: Pick<Exchange, 'hideKey'>,
): ToolArguments {
  const known = Object.keys(properties);
  const unknown = Object.keys(args).find((name) => !Object.hasOwn(properties, name));
  if (unknown !== undefined) {
    const shown = exchange.hideKey(unknown, quoteLength);
    throw new GatewayError('BAD_USER_INPUT', {
      message: `There is no argument "${shown}". ${known.length === 0 ? 'This tool takes none.' : `There are: ${known.join(', ')}.`}`,
      argument: [shown],
    });
  }
  const given = Object.entries(args).filter(([name, value]) => value !== null || required.includes(name));
  return Object.fromEntries(given);
}
