/** A key of the store. The braces keep the keys of one name together, should the store ever be cut into slots. */
export function keyOf(kind: string, name: string): string {
  return `switchboard:1:{${name}}:${kind}`;
}
