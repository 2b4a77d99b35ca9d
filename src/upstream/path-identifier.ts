// Names that an error's source may put around the name of a parameter.
const wrappers = new Set(['path', 'params', 'parameters', 'query', 'url', 'request', 'data', 'attributes']);

/**
 * Whether an error's source (`["path", "mission_id"]`, `["id"]`) points at the one identifier in a call's path. The upstream may
 * have any of these names for it; a source in the path always means it.
 */
export function pointsAtIdentifier(source: readonly string[], names: readonly string[]): boolean {
  if (names.length === 0) return false;
  if (source[0] === 'path') return true;
  const [name, ...others] = source.filter((token) => !wrappers.has(token));
  return name !== undefined && others.length === 0 && names.includes(plainNameOf(name));
}

/** `missionId`, `{mission_id}` and `:mission_id` are all `mission_id`. */
function plainNameOf(token: string): string {
  return token
    .replace(/\W/g, '')
    .replace(/(?<=[a-z\d])[A-Z]/g, (letter) => `_${letter}`)
    .toLowerCase();
}
