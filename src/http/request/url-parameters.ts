import { identifierNames } from './document-identifier.ts';

const names = ['query', 'operationName', 'variables', 'extensions', ...identifierNames] as const;

/**
 * Returns the parameters of a request for GraphQL by GET (GraphQL over HTTP, section 6.1), as a body would hold them. Of several
 * values the first counts, and other names mean nothing. Undefined where a value should be JSON and is not.
 */
export function urlParameters(given: URLSearchParams): unknown {
  const parameters: Partial<Record<(typeof names)[number], unknown>> = {};
  // By name: a URL may hold thousands of others, and to make an object of those would take a millisecond.
  for (const name of names) {
    const value = given.get(name);
    if (value !== null) parameters[name] = value;
  }
  try {
    parameters.variables = jsonOf(parameters.variables);
    parameters.extensions = jsonOf(parameters.extensions);
    return parameters;
  } catch {
    return undefined;
  }
}

function jsonOf(text: unknown): unknown {
  return typeof text === 'string' ? (JSON.parse(text) as unknown) : null;
}
