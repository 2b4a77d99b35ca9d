import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { clientText } from '../../bounds.ts';
import { ClientName } from '../../telemetry/request-line.ts';

/** Removes the caller's key from a text, and cuts the text. */
type HideKey = (text: string, limit: number) => string;

// Printable ASCII.
const plain = /^[ -~]*$/;
// Controls, formats such as marks that turn the direction of a text, lone surrogates, and line separators.
const invisible = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** What a client says of itself, as its headers have it. */
interface Said {
  readonly name: string | undefined;
  readonly version: string | undefined;
  readonly userAgent: string | undefined;
  readonly authorization: string | undefined;
}

// Most clients say the same in every request of a connection, and the search for a key in it takes some microseconds.
const known = new WeakMap<object, { readonly said: Said; readonly client: ClientName }>();

const nameless = new ClientName(null, null, null);

/** Returns what a client says of itself, for the log: cut, without invisible characters, and without the caller's key. */
export function clientOf({ headers, socket }: IncomingMessage, hideKey: HideKey): ClientName {
  const said = saidIn(headers);
  if (said.userAgent === undefined && said.name === undefined && said.version === undefined) return nameless;
  const before = known.get(socket);
  if (before !== undefined && isSame(before.said, said)) return before.client;
  const client = new ClientName(
    cleaned(said.name, clientText.name, hideKey),
    cleaned(said.version, clientText.version, hideKey),
    cleaned(said.userAgent, clientText.userAgent, hideKey),
  );
  known.set(socket, { said, client });
  return client;
}

/** Reads Apollo's names, those of the GraphQL community, or the plain ones: the first family that a request has counts. */
function saidIn(headers: IncomingMessage['headers']): Said {
  const { 'user-agent': userAgent, authorization } = headers;
  // Each name is written out: every request comes here, and to look a header up by a variable costs several times as much.
  let [name, version] = [headers['apollographql-client-name'], headers['apollographql-client-version']];
  if (name === undefined && version === undefined) {
    [name, version] = [headers['graphql-client-name'], headers['graphql-client-version']];
    if (name === undefined && version === undefined)
      [name, version] = [headers['x-client-name'], headers['x-client-version']];
  }
  return { name: name?.toString(), version: version?.toString(), userAgent, authorization };
}

function isSame(left: Said, right: Said): boolean {
  return (
    left.userAgent === right.userAgent &&
    left.authorization === right.authorization &&
    left.name === right.name &&
    left.version === right.version
  );
}

/** Null where nothing is left. The key is searched last: what is taken out of a text may have hidden it. */
function cleaned(text: string | undefined, limit: number, hideKey: HideKey): string | null {
  if (text === undefined) return null;
  const visible = plain.test(text) ? text : decoded(text).replaceAll(invisible, '');
  return hideKey(visible.trim(), limit) || null;
}

/** Node reads each byte of a header as a character; most clients mean UTF-8. */
function decoded(text: string): string {
  const bytes = Buffer.from(text, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : text;
}
