/**
 * Removes the headers by which libraries frame their streams. Node alone knows whether the connection is kept, and whether its
 * client's version of HTTP has chunks (RFC 9112, sections 6.1 and 9.6).
 */
export function leaveFramingToNode(headers: Pick<Headers, 'delete'>): void {
  for (const name of ['connection', 'transfer-encoding']) headers.delete(name);
}
