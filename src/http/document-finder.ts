import type { DocumentNode } from 'graphql';
import { isJsonObject, type JsonObject } from '../json.ts';
import type { Documents } from './documents.ts';
import type { Operation } from './graphql-operation.ts';
import type { TrustedDocumentOptions } from './plugins/request-plugins.ts';
import { hashIn, identifierIn, identifierNames } from './request/graphql-request.ts';

/** Parameters of a request for GraphQL of which each is of its type, or null. */
export interface Parameters extends JsonObject {
  readonly operationName?: string | null;
  readonly variables?: Operation['variables'];
  readonly extensions?: JsonObject | null;
}

const members: ReadonlySet<string> = new Set(['query', 'operationName', 'variables', 'extensions']);
const membersBesideIdentifier: ReadonlySet<string> = new Set([...members, ...identifierNames]);

/** Whether each of the parameters is of its type, or null. */
export function areParameters(given: unknown): given is Parameters {
  if (!isJsonObject(given)) return false;
  const { operationName = null, variables = null, extensions = null } = given;
  if (typeof variables !== 'object' || Array.isArray(variables)) return false;
  if (operationName !== null && typeof operationName !== 'string') return false;
  return extensions === null || isJsonObject(extensions);
}

/**
 * Creates the function that finds the document of a request: by its text, or by the identifier of a trusted one. It returns a text that
 * is not known as it is, and null for what another path must find.
 */
export function createDocumentFinder(documents: Documents, { operations, only }: TrustedDocumentOptions) {
  return (parameters: Parameters): DocumentNode | string | null => {
    const { query = null, extensions = null } = parameters;
    const takes = query === null ? membersBesideIdentifier : members;
    for (const name in parameters) if (!takes.has(name)) return null;
    if (query === null) {
      const id = identifierIn(parameters);
      return (id === null ? null : operations?.get(id)) ?? null;
    }
    if (only || typeof query !== 'string') return null;
    // A hash beside a query is for Yoga to judge.
    if (extensions !== null && hashIn(parameters) !== null) return null;
    return documents.find(query) ?? query;
  };
}
