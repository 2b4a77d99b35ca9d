import { readFileSync } from 'node:fs';
import {
  buildSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
  isUnionType,
  type GraphQLArgument,
  type GraphQLEnumValue,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLSchema,
  type GraphQLType,
} from 'graphql';
import { guidePaths, readOwn, writeSitePage } from './frame.ts';
import { renderMarkdown } from './markdown.ts';
import type { PageSource } from './page.ts';
import type { PageContents } from './page-server.ts';

const path = '/voyager';

/**
 * Writes the page of the schema: its picture, which `npm run codegen` draws, and all that it says of its types, to which the
 * names in the picture lead. It needs no request, no key and no introspection, and no script but for its search.
 */
export function writeSchemaPage({ sdl, links, version }: PageContents): PageSource {
  const picture = readFileSync(new URL('../generated/schema-picture.svg', import.meta.url), 'utf8');
  // The page's policy takes one style.
  const [styleTags = '', pictureStyle = ''] = /<style>([^]*?)<\/style>\n/.exec(picture) ?? [];
  return writeSitePage({
    title: 'Switchboard: the schema as a picture',
    links,
    version,
    path,
    script: readOwn('schema.js'),
    style: readOwn('schema.css') + pictureStyle,
    main: `
<h1>The schema as a picture</h1>
<p>Each box is a type with its fields, and lines lead to the types of their values. Lists lead to their rows. A name leads to
<a href="#types">what the schema says of it</a> below; <a href="/schema.graphql">the SDL</a> is for code generators.</p>
<search class="row">
  <label for="sought">Search the names<input id="sought" type="search" autocomplete="off" spellcheck="false" /></label>
  <span id="found" class="quiet" role="status"></span>
</search>
<label class="row"><input id="whole" type="checkbox" /> Show all at once</label>
<div class="picture" tabindex="0" role="region" aria-label="Picture">${picture.replace(styleTags, '')}</div>
<h2 id="types">Types</h2>
${listTypes(buildSchema(sdl), guidePaths(links))}`,
  });
}

type Describe = (description: string | null | undefined) => string;

/** All types of the schema, those that queries begin with first. */
function listTypes(schema: GraphQLSchema, served: readonly string[]): string {
  const roots = new Set<unknown>([schema.getQueryType(), schema.getSubscriptionType()]);
  const types = Object.values(schema.getTypeMap()).filter(isListed);
  types.sort((one, other) => Number(roots.has(other)) - Number(roots.has(one)) || (one.name < other.name ? -1 : 1));
  const describe: Describe = (description) =>
    description == null ? '' : renderMarkdown({ markdown: description, path, served }).html;
  return types.map((type) => writeType(type, schema, describe)).join('\n');
}

function isListed(type: GraphQLNamedType): boolean {
  return !type.name.startsWith('__') && !isSpecifiedScalarType(type);
}

function writeType(type: GraphQLNamedType, schema: GraphQLSchema, describe: Describe): string {
  const interfaces = isObjectType(type) ? type.getInterfaces() : [];
  const members = isInterfaceType(type) || isUnionType(type) ? schema.getPossibleTypes(type) : [];
  const notes = [
    kindOf(type),
    ...(interfaces.length === 0 ? [] : [`implements ${interfaces.map(linkTo).join(', ')}`]),
    ...(members.length === 0 ? [] : [`of ${members.map(linkTo).join(', ')}`]),
  ];
  const items = itemsOf(type).map((item) => writeItem(type.name, item, describe));
  return `<section class="type" id="${type.name}">
<h3>${type.name}</h3> <span class="quiet">${notes.join(' ')}</span>
${describe(type.description)}${items.length === 0 ? '' : `<dl>${items.join('\n')}</dl>`}
</section>`;
}

const kinds = [
  [isScalarType, 'scalar'],
  [isEnumType, 'enum'],
  [isInputObjectType, 'input'],
  [isUnionType, 'union'],
  [isInterfaceType, 'interface'],
  [isObjectType, 'type'],
] as const;

function kindOf(type: GraphQLNamedType): string {
  return kinds.find(([isKind]) => isKind(type))?.[1] ?? '';
}

type Item = GraphQLField<unknown, unknown> | GraphQLInputField | GraphQLEnumValue;

function itemsOf(type: GraphQLNamedType): readonly Item[] {
  if (isEnumType(type)) return type.getValues();
  return isObjectType(type) || isInterfaceType(type) || isInputObjectType(type) ? Object.values(type.getFields()) : [];
}

function writeItem(owner: string, item: Item, describe: Describe): string {
  const args = 'args' in item ? item.args : [];
  const of = 'type' in item ? `: ${writeReference(item.type)}` : '';
  const deprecation = item.deprecationReason == null ? '' : describe(`Deprecated: ${item.deprecationReason}`);
  const told = args.length === 0 ? '' : `<ul>${args.map((arg) => writeArgument(arg, describe)).join('\n')}</ul>`;
  return `<dt id="${owner}.${item.name}"><code>${item.name}${of}</code></dt><dd>${deprecation}${describe(item.description)}${told}</dd>`;
}

function writeArgument({ name, type, description }: GraphQLArgument, describe: Describe): string {
  return `<li><code>${name}: ${writeReference(type)}</code> ${describe(description)}</li>`;
}

/** The text of a type, whose name leads to it. */
function writeReference(type: GraphQLType): string {
  const named = getNamedType(type);
  return isListed(named) ? String(type).replace(named.name, linkTo(named)) : String(type);
}

function linkTo({ name }: GraphQLNamedType): string {
  return `<a href="#${name}">${name}</a>`;
}
