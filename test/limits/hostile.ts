type Make = (length: number) => string;

/** A text again and again between two others; each `#` in it is the number of the time. */
function repeated(before: string, unit: string, after = ' }'): Make {
  const width = unit.length + 1 + 4 * (unit.split('#').length - 1);
  return (length) => before + many(length / width, (index) => unit.replaceAll('#', String(index))) + after;
}

const both =
  (first: Make, second: Make): Make =>
  (length) =>
    `${first(length / 2)} ${second(length / 2)}`;

// Operations that have one fragment in common, and what is in that.
const operations = repeated('', 'query Q# { ...F }', '');
const fieldsOf = (unit: string): Make => repeated('fragment F on Query { missions { nodes { ', unit, ' } } }');
const valuesOf = (unit: string): Make =>
  repeated('fragment F on Query { webhookDeliveries(filter: { eventType: [', unit, '] }) { totalCount } }');

/** Documents that are made to be expensive, each of about the given length in characters. None may be executed. */
export const hostile: Readonly<Record<string, Make>> = {
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
  'many fragments side by side': fragments('Query', () => '__typename'),
  'many aliases': repeated('{ ', 'a#: missions { totalCount }'),
  'many aliases within a row': repeated('{ missions { nodes { ', 'a#: id', ' } } }'),
  'many directives': repeated('{ __typename ', '@include(if: true)'),
  'many unknown directives': repeated('{ __typename ', '@inclde'),
  'many equal fields': repeated('{ ', 'missions { nodes { id } }'),
  'many equal fields within a field': repeated('{ missions { ', 'nodes { id }', ' } }'),
  'many equal leaves': repeated('{ missions { nodes { ', 'id', ' } } }'),
  'many fields that conflict': repeated('{ ', 'missions(first: #) { totalCount }'),
  'many inline fragments': repeated('{ ', '... on Query { missions { nodes { id } } }'),
  'many unknown fields': repeated('{ ', 'missin#'),
  'many variables': repeated('query (', '$a#: Int', ') { __typename }'),
  'many operations': repeated('', 'query Q# { missions { totalCount } }', ''),
  'introspection over and over': repeated('{ ', 'a#: __schema { types { fields { type { name } } } }'),
  'introspection under many names': repeated('{ __schema { types { fields { ', 'a#: description', ' } } } }'),
  'introspection of fields over and over': repeated('{ __schema { types { ', 'fields { type { name } }', ' } } }'),
  'the schema under many names': repeated('{ _service { ', 'a#: sdl', ' } }'),
  'many line breaks before an error': (length) => `${'\n'.repeat(length)}{ a }`,
  'many comments before an error': (length) => `${'#\r\n'.repeat(length / 3)}{ a }`,
  'a long comment before many errors': (length) =>
    `#${'x'.repeat(length / 2)}\n{ ${many(Math.min(40, length / 60), (index) => `a${index}`)} }`,
  'a long name': (length) => `{ missions { ${'a'.repeat(length)} } }`,
  'a long number': (length) => `{ missions(first: ${'1'.repeat(length)}) { totalCount } }`,
  'a long label': (length) => `{ ... @defer(label: "${'a'.repeat(length)}") { nodes(nodeIds: []) { nodeId } } }`,
  'many unknown arguments': repeated('{ missions(', 'firs#: 1', ') { totalCount } }'),
  'many unknown input fields': repeated('{ webhookDeliveries(filter: { ', 'statu#: 1', ' }) { totalCount } }'),
  'many unknown types': repeated('query (', '$a#: [[IpConnectio#]]', ') { a }'),
  'many unknown fragments': repeated('{ missions { nodes { ', '...F#', ' } } }'),
  'many undefined variables in many operations': both(operations, fieldsOf('id @include(if: $undefined)')),
  'many operations that conflict in one fragment': both(operations, fieldsOf('id id: name')),
  'many repeated directives': repeated('{ missions { nodes { id ', '@include(if: true)', ' } } }'),
  'many repeated arguments': repeated('{ missions(', 'first: 1', ') { totalCount } }'),
  'many fragments of one name': repeated('{ __typename } ', 'fragment F on Mission { id }', ''),
  'many values of the wrong kind': repeated('{ webhookDeliveries(filter: { eventType: [', '1', '] }) { totalCount } }'),
};

/** The same, but valid where they are short: they cost their length and no more. */
export const heavy: Readonly<Record<string, Make>> = {
  'many fragments of one field': fragments('Mission', () => 'id'),
  'many fragments of different fields': fragments('Mission', (index) => ['id', 'name', 'model'][index % 3] ?? ''),
  'many fragments of fields with fields': fragments('IpConnection', () => 'inbound { channelLimit }'),
  'many inline fragments of one field': repeated('{ missions { nodes { ', '... on Mission { id }', ' } } }'),
  'inline fragments within each other': (length) =>
    `{ ${'... on Query { __typename '.repeat(length / 54)}${'}'.repeat(length / 54)} }`,
  'inline fragments of different types': (length) =>
    `{ nodes(nodeIds: []) { ${many(length / 34, (index) => `... on ${['IpConnection', 'Mission', 'WebhookDelivery'][index % 3]} { id }`)} } }`,
  'many equal leaves in many operations': both(operations, fieldsOf('id')),
  'many values in many operations': both(operations, valuesOf('"a"')),
  'many variables in many operations': both(repeated('', 'query Q#($a: String!) { ...F }', ''), valuesOf('$a')),
  'fragments of introspection in many operations': both(
    repeated('', 'query Q# { __schema { ...F } }', ''),
    repeated('fragment F on __Schema { types { ', 'name', ' } }'),
  ),
  'many subscriptions': repeated('', 'subscription S# { webhookDeliveries { id } }', ''),
};

/** Fragments side by side on a type, and what each has. */
function fragments(type: 'Query' | 'Mission' | 'IpConnection', fieldOf: (index: number) => string): Make {
  return (length) => {
    const count = length / (fieldOf(0).length + type.length + 30);
    const each = many(count, (index) => `fragment F${index} on ${type} { ${fieldOf(index)} }`);
    const spreads = many(count, (index) => `...F${index}`);
    const list = type === 'Mission' ? 'missions' : 'ipConnections';
    return `${type === 'Query' ? `{ ${spreads} }` : `{ ${list} { nodes { ${spreads} } } }`} ${each}`;
  };
}

function many(count: number, make: (index: number) => string): string {
  return Array.from({ length: Math.floor(count) }, (_, index) => make(index)).join(' ');
}
