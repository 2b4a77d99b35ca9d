/**
 * Returns the parameters of a request for GraphQL by GET (GraphQL over HTTP, section 6.1), as a body would hold them. Of several
 * values the first counts. Undefined where a value should be JSON and is not.
 */
export function urlParameters(given: URLSearchParams): unknown {
  const parameters: Record<string, string> = {};
  // Not by `get`, which searches all names: there may be thousands.
  for (const [name, value] of given) if (!Object.hasOwn(parameters, name)) parameters[name] = value;
  const { variables, extensions } = parameters;
  try {
    return { ...parameters, variables: jsonOf(variables), extensions: jsonOf(extensions) };
  } catch {
    return undefined;
  }
}

function jsonOf(text: string | undefined): unknown {
  return text === undefined ? null : (JSON.parse(text) as unknown);
}
