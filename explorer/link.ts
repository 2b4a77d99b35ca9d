/** An operation to be run, as links, commands and history name it. */
export interface Operation {
  readonly query: string;
  /** JSON text; empty where there are none. */
  readonly variables: string;
  readonly operationName: string | null;
}

/** Reads the operation that the page's address holds, and makes the address plain. Null where it holds none. */
export function takeLink(): Operation | null {
  const link = new URLSearchParams(location.search);
  const query = link.get('query') ?? '';
  if (query === '') return null;
  // A reload shows what the tab has become, and the address is not copied as if it were that.
  history.replaceState(null, '', location.pathname);
  return { query, variables: indented(link.get('variables') ?? ''), operationName: link.get('operationName') };
}

function indented(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}

/** The members of a request: those that there are. */
function partsOf({ query, variables, operationName }: Operation): Record<string, string> {
  const hasVariables = variables.trim() !== '' && variables.trim() !== '{}';
  return { query, ...(hasVariables && { variables }), ...(operationName !== null && { operationName }) };
}

/** A link that opens an operation in this page. It holds no key and no headers. */
export function linkTo(operation: Operation): string {
  return `${location.origin}${location.pathname}?${new URLSearchParams(partsOf(operation))}`;
}

/** The body of a request as JSON text. Variables stay as they are written, for the sake of long numbers. */
function bodyOf(operation: Operation): string {
  const members = Object.entries(partsOf(operation)).map(
    ([name, text]) => `${JSON.stringify(name)}:${name === 'variables' ? text.trim() : JSON.stringify(text)}`,
  );
  return `{${members.join(',')}}`;
}

/** A command that sends an operation, with a place for the key. */
export function curlOf(operation: Operation, accept: string): string {
  const body = bodyOf(operation).replaceAll("'", String.raw`'\''`);
  const headers = [`'Authorization: Bearer '"$KEY"`, `'Content-Type: application/json'`, `'Accept: ${accept}'`];
  return `curl -sN ${location.origin}/graphql ${headers.map((each) => `-H ${each}`).join(' ')} -d '${body}'`;
}

/** JavaScript that sends an operation, with a place for the key. */
export function fetchOf(operation: Operation, accept: string): string {
  return `await fetch('${location.origin}/graphql', {
  method: 'POST',
  headers: { Authorization: \`Bearer \${key}\`, 'Content-Type': 'application/json', Accept: '${accept}' },
  body: ${JSON.stringify(bodyOf(operation))},
})`;
}
