import { create } from 'zustand';

/** An operation to be run, as links, commands and history name it. */
export interface Operation {
  readonly query: string;
  /** JSON text; empty where there are none. */
  readonly variables: string;
  readonly operationName: string | null;
}

/** Reads the variables of the tab as they are typed. */
export const typed = { variables: (): string => '' };

/** A sentence below the answer: what was copied, or why a download failed. */
export const useNews = create(() => '');

/** The media types to ask for. Events are for answers that come in pieces or do not end. */
export const accept = 'application/graphql-response+json, application/json;q=0.9, text/event-stream;q=0.8';

/** Reads the operation that the page's address holds, and makes the address plain. Null where it holds none. */
export function takeLink(): Operation | null {
  const link = new URLSearchParams(location.search);
  const query = link.get('query') ?? '';
  if (query === '') return null;
  // A reload shows what the tab has become, and the address is not copied as if it were that.
  history.replaceState(null, '', location.pathname);
  return { query, variables: link.get('variables') ?? '', operationName: link.get('operationName') };
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

/** A command that sends an operation, with a place for the key. Variables stay as they are written, for the sake of long numbers. */
export function curlOf(operation: Operation): string {
  const members = Object.entries(partsOf(operation)).map(
    ([name, text]) => `${JSON.stringify(name)}:${name === 'variables' ? text.trim() : JSON.stringify(text)}`,
  );
  const body = `{${members.join(',')}}`.replaceAll("'", String.raw`'\''`);
  const headers = `-H 'Authorization: Bearer '"$KEY" -H 'Content-Type: application/json' -H 'Accept: ${accept}'`;
  return `curl -sN ${location.origin}/graphql ${headers} -d '${body}'`;
}

/** Copies a text. Where the browser refuses, or has no clipboard, as over plain HTTP, a dialog has it to be copied by hand. */
export async function copy(what: string, text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    useNews.setState(`Copied the ${what}, without your key.`);
  } catch {
    prompt(`Copy the ${what} by hand:`, text);
  }
}
