import { Kind, type DefinitionNode, type DocumentNode, type FieldDefinitionNode, type TypeNode } from 'graphql';
import { directiveOf, textOf } from './shorthand.ts';

// What the SDL says of the records of the API: their members under the names on the wire, and which fields are no members.

const scalars: Readonly<Record<string, string>> = {
  Boolean: 'boolean',
  Int: 'number',
  JSONObject: 'Readonly<Record<string, unknown>>',
};

const wireNameOf = (field: FieldDefinitionNode): string =>
  textOf(directiveOf(field, 'wire'), 'name') ||
  field.name.value.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export interface Records {
  /** The module of the records. */
  readonly text: string;
  /** The types of the parents of resolvers, by the types of the schema. */
  readonly mappers: Readonly<Record<string, string>>;
  /** The types that come in pages. */
  readonly rows: readonly string[];
}

/** Reads the sources as they are written, and written out. */
export function recordsOf(sources: DocumentNode, whole: DocumentNode): Records {
  const kinds = new Map(
    sources.definitions.flatMap((each) => ('name' in each && each.name ? [[each.name.value, each]] : [])),
  );
  const objects = sources.definitions.filter((each) => each.kind === Kind.OBJECT_TYPE_DEFINITION);
  const rows = objects.flatMap((each) => {
    const { value: name } = each.name;
    return directiveOf(each, 'connection') === undefined ? [] : [name.replace(/Connection$/, '')];
  });
  const isDerived = (name: string): boolean =>
    /^(?:Query|Subscription|PageInfo)$/.test(name) ||
    rows.some((row) => [`${row}Connection`, `${row}Edge`].includes(name));
  const records = objects.filter(({ name }) => !isDerived(name.value));

  function typeOf(type: TypeNode): string {
    if (type.kind === Kind.LIST_TYPE) return `readonly ${itemOf(type.type)}[]`;
    if (type.kind === Kind.NON_NULL_TYPE) return typeOf(type.type);
    return namedType(type.name.value);
  }
  const itemOf = (type: TypeNode): string =>
    type.kind === Kind.NON_NULL_TYPE ? typeOf(type) : `(${typeOf(type)} | null)`;
  function namedType(name: string): string {
    const definition = kinds.get(name) as DefinitionNode | undefined;
    if (definition?.kind === Kind.ENUM_TYPE_DEFINITION)
      return (definition.values ?? []).map((value) => `'${value.name.value}'`).join(' | ');
    if (rows.includes(name.replace(/Connection$/, '')) && name.endsWith('Connection'))
      return `readonly (${name.replace(/Connection$/, '')}Record | null)[]`;
    return definition === undefined || definition.kind === Kind.SCALAR_TYPE_DEFINITION
      ? (scalars[name] ?? 'string')
      : `${name}Record`;
  }

  const isComputed = (field: FieldDefinitionNode): boolean =>
    directiveOf(field, 'computed') !== undefined || field.name.value === 'nodeId';

  function recordOf({ name, fields = [] }: (typeof records)[number]): string {
    const members = new Map<string, { types: Set<string>; isRequired: boolean }>();
    for (const field of fields.filter((each) => !isComputed(each))) {
      const member = members.get(wireNameOf(field)) ?? {
        types: new Set(),
        isRequired: field.type.kind === Kind.NON_NULL_TYPE,
      };
      members.set(wireNameOf(field), { ...member, types: member.types.add(typeOf(field.type)) });
    }
    const lines = [...members].map(
      ([member, { types, isRequired }]) =>
        `  readonly ${member}${isRequired ? ': ' : '?: '}${[...types].join(' | ')}${isRequired ? '' : ' | null | undefined'};`,
    );
    return `export interface ${name.value}Record {\n${lines.join('\n')}\n}`;
  }

  const computed = records.flatMap(({ name, fields = [] }) => {
    const names = fields.filter((field) => directiveOf(field, 'computed') ?? directiveOf(field, 'paged'));
    return names.length === 0 ? [] : [`  ${name.value}: ${names.map((field) => `'${field.name.value}'`).join(' | ')};`];
  });
  const unions = sources.definitions
    .filter((each) => each.kind === Kind.UNION_TYPE_DEFINITION)
    .map(
      ({ name, types = [] }) =>
        `export type ${name.value}Record = ${types.map((type) => `${type.name.value}Record`).join(' | ')};`,
    );
  const coordinates = whole.definitions.flatMap((each) =>
    each.kind === Kind.OBJECT_TYPE_DEFINITION || each.kind === Kind.INTERFACE_TYPE_DEFINITION
      ? (each.fields ?? []).map((field) => `  | '${each.name.value}.${field.name.value}'`)
      : [],
  );
  const odd = records.flatMap(({ name, fields = [] }) =>
    fields
      .filter((field) => directiveOf(field, 'wire'))
      .map((field) => `  '${name.value}.${field.name.value}': '${wireNameOf(field)}',`),
  );

  return {
    text: `import type { Connection, Edge } from '../paging/connection.ts';

${[...records.map(recordOf), ...unions].join('\n\n')}

export type PageInfoRecord = Connection<unknown>;
${rows
  .map(
    (row) => `export type ${row}ConnectionRecord = Connection<${row}Record | null>;
export type ${row}EdgeRecord = Edge<${row}Record | null>;`,
  )
  .join('\n')}

/** The fields that need a resolver, because no record has them as they are shown. */
export interface Computed {
${computed.join('\n')}
}

/** A field of the schema. */
export type Coordinate =
${coordinates.join('\n')};

/** The names of members on the wire that are not their fields' own in snake_case. */
export const wireNames: { readonly [Field in Coordinate]?: string } = {
${odd.join('\n')}
};
`,
    mappers: Object.fromEntries(
      [
        ...records.map(({ name }) => name.value),
        'PageInfo',
        ...rows.flatMap((row) => [`${row}Connection`, `${row}Edge`]),
      ].map((type) => [type, `./records.ts#${type}Record`]),
    ),
    rows,
  };
}
