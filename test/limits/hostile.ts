/** Documents that are made to cost a server dear, each about as long as it is told, in characters. None may be executed. */
export const hostile: Readonly<Record<string, (length: number) => string>> = {
  'deep nesting': (length) => '{a'.repeat(length / 3) + '}'.repeat(length / 3),
  'a deep list value': (length) =>
    `{ missions(first: ${'['.repeat(length / 2)}${']'.repeat(length / 2)}) { totalCount } }`,
  'a fragment bomb': (length) => {
    const count = Math.floor(length / 50);
    const link = (index: number): string => (index + 1 < count ? `...F${index + 1} ...F${index + 1}` : 'id');
    return `{ missions { nodes { ...F0 } } } ${many(count, (index) => `fragment F${index} on Mission { ${link(index)} }`)}`;
  },
  'a bomb of relations': (length) => {
    const count = Math.floor(length / 110);
    const link = (index: number): string => (index + 1 < count ? `...F${index + 1}` : 'id');
    const field = (index: number): string => `webhookDeliveries { nodes { ipConnection { ${link(index)} } } }`;
    return `{ ipConnections { nodes { ...F0 } } } ${many(count, (index) => `fragment F${index} on IpConnection { ${field(index)} }`)}`;
  },
  'fragments in a circle': (length) => {
    const count = Math.floor(length / 40);
    return `{ ...F0 } ${many(count, (index) => `fragment F${index} on Query { ...F${(index + 1) % count} }`)}`;
  },
  'fragments that all spread each other': (length) => {
    const count = Math.floor(Math.sqrt(length / 5));
    const all = many(count, (index) => `...F${index}`);
    return `{ ...F0 } ${many(count, (index) => `fragment F${index} on Query { ${all} }`)}`;
  },
  'a long chain of fragments': (length) => {
    const count = Math.floor(length / 46);
    const link = (index: number): string => (index + 1 < count ? `...F${index + 1}` : '');
    return `{ ...F0 } ${many(count, (index) => `fragment F${index} on Query { __typename ${link(index)} }`)}`;
  },
  'many fragments side by side': (length) => {
    const count = Math.floor(length / 45);
    return `{ ${many(count, (index) => `...F${index}`)} } ${many(count, (index) => `fragment F${index} on Query { __typename }`)}`;
  },
  'many aliases': (length) => `{ ${many(length / 28, (index) => `a${index}: missions { totalCount }`)} }`,
  'many aliases within a row': (length) =>
    `{ missions { nodes { ${many(length / 10, (index) => `a${index}: id`)} } } }`,
  'many directives': (length) => `{ __typename ${'@include(if: true) '.repeat(length / 20)} }`,
  'many unknown directives': (length) => `{ __typename ${'@inclde '.repeat(length / 8)} }`,
  'many equal fields': (length) => `{ ${'missions { nodes { id } } '.repeat(length / 26)} }`,
  'many equal fields within a field': (length) => `{ missions { ${'nodes { id } '.repeat(length / 13)} } }`,
  'many equal leaves': (length) => `{ missions { nodes { ${'id '.repeat(length / 3)} } } }`,
  'many fields that conflict': (length) =>
    `{ ${many(length / 33, (index) => `missions(first: ${index}) { totalCount }`)} }`,
  'many inline fragments': (length) => `{ ${'... on Query { missions { nodes { id } } } '.repeat(length / 43)} }`,
  'many unknown fields': (length) => `{ ${many(length / 12, (index) => `missin${index}`)} }`,
  'many variables': (length) => `query (${many(length / 14, (index) => `$a${index}: Int`)}) { __typename }`,
  'many operations': (length) => many(length / 40, (index) => `query Q${index} { missions { totalCount } }`),
  'introspection over and over': (length) =>
    `{ ${many(length / 55, (index) => `a${index}: __schema { types { fields { type { name } } } }`)} }`,
};

function many(count: number, make: (index: number) => string): string {
  return Array.from({ length: Math.floor(count) }, (_, index) => make(index)).join(' ');
}
