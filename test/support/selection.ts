import type { JsonRecord } from './records.ts';

/** Names and list positions from the root of a value. */
export type Path = readonly (string | number)[];

const freeForm = new Set(['payload', 'metadata']);

/** The name of a field by the name it has on the wire. */
export function fieldNameOf(wireName: string): string {
  return wireName === 'mission_id'
    ? 'id'
    : wireName.replace(/_([a-z\d])/g, (_match, letter: string) => letter.toUpperCase());
}

/** Whether the list of a record is a list of `[name, value]` pairs. */
export function isPairs(wireName: string): boolean {
  return wireName === 'headers';
}

/** A selection of every field that a full record has. */
export function selectionOf(record: JsonRecord): string {
  const fields = Object.entries(record).map(([name, value]) => {
    const field = fieldNameOf(name);
    if (freeForm.has(name)) return field;
    if (isPairs(name)) return `${field} { name value }`;
    if (name === 'results') return `${field} { totalCount nodes ${selectionOf(firstOf(value))} }`;
    if (name === 'lines') return `${field} { ${lineSelection(value as readonly JsonRecord[])} }`;
    if (Array.isArray(value)) return typeof value[0] === 'object' ? `${field} ${selectionOf(firstOf(value))}` : field;
    return typeof value === 'object' ? `${field} ${selectionOf(value as JsonRecord)}` : field;
  });
  return `{ ${fields.join(' ')} }`;
}

function firstOf(list: unknown): JsonRecord {
  return (list as readonly JsonRecord[])[0] ?? {};
}

function lineSelection(lines: readonly JsonRecord[]): string {
  const types: Readonly<Record<string, string>> = { comparative: 'ComparativeLine', simple: 'SimpleLine' };
  return lines.map((line) => `... on ${types[String(line['type'])]} ${selectionOf(line)}`).join(' ');
}

/** Every place in a record that the contract names: objects, leaves, lists, their items, members of pairs. */
export function placesIn(record: JsonRecord, base: Path = []): readonly Path[] {
  return Object.entries(record).flatMap(([name, value]) => {
    const path = [...base, name];
    if (freeForm.has(name)) return [path];
    return [path, ...placesBelow(value, path, isPairs(name))];
  });
}

function placesBelow(value: unknown, path: Path, pairs: boolean): readonly Path[] {
  if (Array.isArray(value))
    return value.flatMap((item: unknown, index) => {
      const members = pairs && Array.isArray(item) ? item.map((_member, at) => [...path, index, at]) : [];
      return [[...path, index], ...members, ...(pairs ? [] : placesBelow(item, [...path, index], false))];
    });
  return typeof value === 'object' && value !== null ? placesIn(value as JsonRecord, path) : [];
}

/** The path of a record's place in a result with the selection above. */
export function fieldPathOf(place: Path): Path {
  return place.flatMap((name, index): Path => {
    if (typeof name === 'string')
      return name === 'results'
        ? ['results', 'nodes'].slice(0, index === place.length - 1 ? 1 : 2)
        : [fieldNameOf(name)];
    const isMember = typeof place[index - 1] === 'number' && isPairs(String(place[index - 2]));
    return isMember ? [name === 0 ? 'name' : 'value'] : [name];
  });
}

/** A copy of a record with another value in one place; `undefined` takes the place away. */
export function withValue(record: JsonRecord, place: Path, value: unknown): JsonRecord {
  const copy = structuredClone(record);
  let owner = copy as Record<string | number, unknown>;
  for (const name of place.slice(0, -1)) owner = owner[name] as Record<string | number, unknown>;
  const name = place.at(-1) ?? '';
  if (value !== undefined) owner[name] = value;
  else if (Array.isArray(owner)) owner.splice(Number(name), 1);
  else delete owner[name];
  return copy;
}
