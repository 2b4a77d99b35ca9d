/** Documents that are made to be expensive, each of about the given length in characters. None may be executed. */
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
  'introspection under many names': (length) =>
    `{ __schema { types { fields { ${many(length / 18, (index) => `a${index}: description`)} } } } }`,
  'introspection of fields over and over': (length) =>
    `{ __schema { types { ${'fields { type { name } } '.repeat(length / 25)} } } }`,
  'the schema under many names': (length) => `{ _service { ${many(length / 10, (index) => `a${index}: sdl`)} } }`,
  'many line breaks before an error': (length) => `${'\n'.repeat(length)}{ a }`,
  'many comments before an error': (length) => `${'#\r\n'.repeat(length / 3)}{ a }`,
  'a long comment before many errors': (length) =>
    `#${'x'.repeat(length / 2)}\n{ ${many(Math.min(40, length / 60), (index) => `a${index}`)} }`,
  'a long name': (length) => `{ missions { ${'a'.repeat(length)} } }`,
  'a long number': (length) => `{ missions(first: ${'1'.repeat(length)}) { totalCount } }`,
  'a long label': (length) => `{ ... @defer(label: "${'a'.repeat(length)}") { nodes(nodeIds: []) { nodeId } } }`,
  'many unknown arguments': (length) =>
    `{ missions(${many(length / 12, (index) => `firs${index}: 1`)}) { totalCount } }`,
  'many unknown input fields': (length) =>
    `{ webhookDeliveries(filter: { ${many(length / 12, (index) => `statu${index}: 1`)} }) { totalCount } }`,
  'many unknown types': (length) =>
    `query (${many(length / 26, (index) => `$a${index}: [[IpConnectio${index}]]`)}) { a }`,
  'many unknown fragments': (length) => `{ missions { nodes { ${many(length / 10, (index) => `...F${index}`)} } } }`,
  'many undefined variables in many operations': (length) =>
    operationsOver(
      length / 60,
      many(length / 60, () => 'id @include(if: $undefined)'),
    ),
  'many operations that conflict in one fragment': (length) =>
    operationsOver(
      length / 30,
      many(length / 60, (index) => (index % 2 === 0 ? 'id' : 'id: name')),
    ),
  'many repeated directives': (length) => `{ missions { nodes { id ${'@include(if: true) '.repeat(length / 20)} } } }`,
  'many repeated arguments': (length) => `{ missions(${'first: 1 '.repeat(length / 9)}) { totalCount } }`,
  'many fragments of one name': (length) => `{ __typename } ${'fragment F on Mission { id } '.repeat(length / 29)}`,
  'many values of the wrong kind': (length) =>
    `{ webhookDeliveries(filter: { eventType: [${'1 '.repeat(length / 2)}] }) { totalCount } }`,
};

/** The same, but valid where they are short: they cost their length and no more. */
export const heavy: Readonly<Record<string, (length: number) => string>> = {
  'many fragments of one field': (length) => fragments(length / 40, () => 'id'),
  'many fragments of different fields': (length) =>
    fragments(length / 42, (index) => ['id', 'name', 'model'][index % 3] ?? ''),
  'many fragments of fields with fields': (length) =>
    `{ ipConnections { nodes { ${many(length / 90, (index) => `...F${index}`)} } } } ${many(length / 90, (index) => `fragment F${index} on IpConnection { inbound { channelLimit } }`)}`,
  'many inline fragments of one field': (length) =>
    `{ missions { nodes { ${'... on Mission { id } '.repeat(length / 21)} } } }`,
  'inline fragments within each other': (length) =>
    `{ ${'... on Query { __typename '.repeat(length / 54)}${'}'.repeat(length / 54)} }`,
  'inline fragments of different types': (length) =>
    `{ nodes(nodeIds: []) { ${many(length / 34, (index) => `... on ${['IpConnection', 'Mission', 'WebhookDelivery'][index % 3]} { id }`)} } }`,
  'many equal leaves in many operations': (length) => operationsOver(length / 60, 'id '.repeat(length / 60)),
  'many values in many operations': (length) => {
    const filter = `filter: { eventType: [${'"a" '.repeat(length / 12)}] }`;
    return `${many(length / 40, (index) => `query Q${index} { ...F }`)} fragment F on Query { webhookDeliveries(${filter}) { totalCount } }`;
  },
  'many variables in many operations': (length) => {
    const filter = `filter: { eventType: [${'$a '.repeat(length / 12)}] }`;
    return `${many(length / 50, (index) => `query Q${index}($a: String!) { ...F }`)} fragment F on Query { webhookDeliveries(${filter}) { totalCount } }`;
  },
  'fragments of introspection in many operations': (length) =>
    `${many(length / 50, (index) => `query Q${index} { __schema { ...F } }`)} fragment F on __Schema { types { ${'name '.repeat(length / 20)} } }`,
  'many subscriptions': (length) => many(length / 45, (index) => `subscription S${index} { webhookDeliveries { id } }`),
};

/** Operations that have one fragment in common. */
function operationsOver(count: number, fields: string): string {
  const operations = many(count, (index) => `query Q${index} { ...F }`);
  return `${operations} fragment F on Query { missions { nodes { ${fields} } } }`;
}

/** Fragments side by side, and what each has. */
function fragments(count: number, fieldOf: (index: number) => string): string {
  const spreads = many(count, (index) => `...F${index}`);
  return `{ missions { nodes { ${spreads} } } } ${many(count, (index) => `fragment F${index} on Mission { ${fieldOf(index)} }`)}`;
}

function many(count: number, make: (index: number) => string): string {
  return Array.from({ length: Math.floor(count) }, (_, index) => make(index)).join(' ');
}
