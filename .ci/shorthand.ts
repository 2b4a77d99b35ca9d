import {
  Kind,
  parse,
  visit,
  type DefinitionNode,
  type DirectiveNode,
  type DocumentNode,
  type FieldDefinitionNode,
  type InputValueDefinitionNode,
  type ObjectTypeDefinitionNode,
} from 'graphql';

// What the files of schema/ say in short (schema/shorthand.graphql declares it), written out by codegen: clients, routers and the gateway
// see nothing of it.

/** The directives that are for the gateway alone. */
const own: ReadonlySet<string> = new Set(['computed', 'connection', 'fieldOrder', 'paged', 'wire']);

const longest = 'at most 500';
const pagedField = fieldsOf(`type Page {
  field(
    "How many items to return, from the start of the list or after the cursor \`after\`: ${longest}. Without \`first\` and \`last\` a page has 20."
    first: Int
    "Return the items that follow this cursor: an \`endCursor\`, or the \`cursor\` of an edge, of this same list."
    after: String
    "How many items to return, from the end of the list or before the cursor \`before\`: ${longest}."
    last: Int
    "Return the items that precede this cursor: a \`startCursor\`, or the \`cursor\` of an edge, of this same list."
    before: String
    "How many items to skip from the start of the list. It needs \`first\`, and cannot be combined with \`last\` or a cursor. Example: \`40\`"
    offset: Int
  ): Int
    @listSize(
      slicingArguments: ["first", "last"]
      sizedFields: ["edges", "nodes"]
      assumedSize: 20
      requireOneSlicingArgument: false
    )
}`).at(0) as FieldDefinitionNode;

function connectionOf(item: string, { one, many, of = 'list' }: Readonly<Record<string, string>>, isFiltered: boolean) {
  return parse(
    `
"A page of ${many}: 20 of them unless \`first\` or \`last\` says otherwise, ${longest}."
type ${item}Connection {
  "The ${many} of this page, each with its cursor."
  edges: [${item}Edge!]!
  "The ${many} of this page, without cursors. An item is null when the platform sent nothing in its place."
  nodes: [${item}]! @semanticNonNull(levels: [1])
  "Where this page stands in the ${of}."
  pageInfo: PageInfo!
  "Number of ${many} in the whole ${of}${isFiltered ? ', after the filter' : ''}. Null when it is not known."
  totalCount: Int
  "How many items of the whole list come before this page, so that its first item is number \`offset + 1\`. Null when it is not known."
  offset: Int
}
"One ${one} of a page, with its cursor."
type ${item}Edge {
  "Opaque cursor of this item, for \`after\` and \`before\`."
  cursor: String!
  "The ${one}. Null when the platform sent nothing in its place."
  node: ${item} @semanticNonNull
}`,
    { noLocation: true },
  ).definitions as readonly ObjectTypeDefinitionNode[];
}

/** The document with all that it says in short written out. */
export function writtenOut(document: DocumentNode): DocumentNode {
  const { definitions } = visit(withConnections(withRoots(document)), {
    FieldDefinition: (field) => (directiveOf(field, 'paged') === undefined ? undefined : paged(field)),
  });
  return visit(
    { kind: Kind.DOCUMENT, definitions },
    {
      Directive: ({ name }) => (own.has(name.value) ? null : undefined),
      DirectiveDefinition: ({ name }) => (own.has(name.value) ? null : undefined),
    },
  );
}

/** Each type with the fields that other files add to it. Its own come last, and those of its `@fieldOrder` first. */
function withRoots({ definitions }: DocumentNode): readonly DefinitionNode[] {
  const extensions = definitions.filter((each) => each.kind === Kind.OBJECT_TYPE_EXTENSION);
  return definitions.flatMap((definition): DefinitionNode[] => {
    if (definition.kind === Kind.OBJECT_TYPE_EXTENSION) return [];
    if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION) return [definition];
    const added = extensions.filter(({ name }) => name.value === definition.name.value);
    if (added.length === 0) return [definition];
    const fields = [...added, definition].flatMap((each) => each.fields ?? []);
    const order = textOf(directiveOf(definition, 'fieldOrder'), 'names').split(/\s+/);
    const placeOf = ({ name }: FieldDefinitionNode): number => order.indexOf(name.value) + 1 || order.length + 1;
    return [{ ...definition, fields: fields.sort((a, b) => placeOf(a) - placeOf(b)) }];
  });
}

/** Each `@connection` with its fields and its edge; descriptions that are written stay. */
function withConnections(definitions: readonly DefinitionNode[]): DocumentNode {
  const objects = definitions.filter((each) => each.kind === Kind.OBJECT_TYPE_DEFINITION);
  const written = new Map(objects.map((each) => [each.name.value, each]));
  const filtered = new Set(
    objects
      .flatMap(({ fields = [] }) => fields)
      .filter(({ arguments: args = [] }) => args.some(({ name }) => name.value === 'filter'))
      .map(({ type }) => (type.kind === Kind.NAMED_TYPE ? type.name.value : '')),
  );
  const made = new Map<string, readonly ObjectTypeDefinitionNode[]>();
  for (const [name, definition] of written) {
    const directive = directiveOf(definition, 'connection');
    if (directive === undefined) continue;
    const types = connectionOf(name.replace(/Connection$/, ''), wordsOf(directive), filtered.has(name));
    made.set(
      name,
      types.map((type) => ({ ...type, ...describedBy(written.get(type.name.value)) })),
    );
  }
  const isEdge = ({ name }: ObjectTypeDefinitionNode): boolean =>
    name.value.endsWith('Edge') && made.has(name.value.replace(/Edge$/, 'Connection'));
  return {
    kind: Kind.DOCUMENT,
    definitions: definitions.flatMap((each): readonly DefinitionNode[] => {
      if (each.kind !== Kind.OBJECT_TYPE_DEFINITION) return [each];
      return isEdge(each) ? [] : (made.get(each.name.value) ?? [each]);
    }),
  };
}

function describedBy(type: ObjectTypeDefinitionNode | undefined) {
  return type?.description === undefined ? {} : { description: type.description };
}

/** The field with the arguments of a page, of which it may describe some itself, before its own. */
function paged(field: FieldDefinitionNode): FieldDefinitionNode {
  const directive = directiveOf(field, 'paged') as DirectiveNode;
  const given = new Map((field.arguments ?? []).map((argument) => [argument.name.value, argument]));
  const args: InputValueDefinitionNode[] = [];
  for (const argument of pagedField.arguments ?? []) {
    const { value: name } = argument.name;
    const described = given.get(name);
    given.delete(name);
    if (name !== 'offset' || !isFalse(directive, 'offset')) args.push(described ?? argument);
  }
  const directives = (field.directives ?? []).flatMap((each) =>
    each === directive ? (pagedField.directives ?? []) : [each],
  );
  return { ...field, arguments: [...args, ...given.values()], directives };
}

export function directiveOf(
  { directives = [] }: { readonly directives?: readonly DirectiveNode[] | undefined },
  name: string,
): DirectiveNode | undefined {
  return directives.find((each) => each.name.value === name);
}

function wordsOf({ arguments: args = [] }: DirectiveNode): Readonly<Record<string, string>> {
  return Object.fromEntries(args.map(({ name, value }) => [name.value, value.kind === Kind.STRING ? value.value : '']));
}

/** The text that a directive has for an argument; empty without one. */
export function textOf(directive: DirectiveNode | undefined, argument: string): string {
  return directive === undefined ? '' : (wordsOf(directive)[argument] ?? '');
}

function isFalse({ arguments: args = [] }: DirectiveNode, argument: string): boolean {
  return args.some(({ name, value }) => name.value === argument && value.kind === Kind.BOOLEAN && !value.value);
}

function fieldsOf(text: string): readonly FieldDefinitionNode[] {
  const [type] = parse(text, { noLocation: true }).definitions;
  return (type as ObjectTypeDefinitionNode).fields ?? [];
}
