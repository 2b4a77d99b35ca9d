import { readFileSync } from 'node:fs';
import { Graphviz } from '@hpcc-js/wasm-graphviz';
import {
  getNamedType,
  isInterfaceType,
  isObjectType,
  isUnionType,
  type GraphQLInterfaceType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  type GraphQLUnionType,
} from 'graphql';

type BoxType = GraphQLObjectType | GraphQLInterfaceType | GraphQLUnionType;

interface Row {
  readonly name: string;
  /** The row's type as it is written; empty where the row is a type itself. */
  readonly of: string;
  /** Names of the boxes that it leads to. */
  readonly leadsTo: readonly string[];
}

interface Box {
  readonly name: string;
  readonly rows: readonly Row[];
  readonly width: number;
  readonly height: number;
}

/** What Graphviz's format `json0` says of a graph; lengths are in points, and grow upwards. */
interface Layout {
  readonly bb: string;
  readonly objects: readonly { readonly name: string; readonly pos: string }[];
  readonly edges: readonly { readonly pos: string }[];
}

// In pixels. Letters have one width, so that boxes fit whatever font a reader has: 0.602 of the size in the widest common ones.
const rowHeight = 20;
const letterWidth = 7.3;
const padding = 8;

/**
 * Draws what queries can reach: each type with its fields, and lines to the types that they lead to. Connections and edges are left
 * out: a list leads to its rows. A field links to the box of its type.
 */
export async function drawSchema(schema: GraphQLSchema): Promise<string> {
  const boxes = Object.values(schema.getTypeMap()).filter(isBoxType).filter(isShown).map(boxOf(schema));
  const graphviz = await Graphviz.load();
  return writeSvg(boxes, JSON.parse(graphviz.layout(writeGraph(boxes), 'json0', 'dot')) as Layout);
}

function isBoxType(type: GraphQLNamedType): type is BoxType {
  return !type.name.startsWith('__') && (isObjectType(type) || isInterfaceType(type) || isUnionType(type));
}

/** Whether a type is more than a part of a connection. */
function isShown(type: BoxType): boolean {
  const names = isUnionType(type) ? [] : Object.keys(type.getFields());
  const has = (...sought: readonly string[]): boolean => sought.every((name) => names.includes(name));
  return !has('edges', 'pageInfo') && !has('cursor', 'node') && !has('hasNextPage', 'endCursor');
}

function boxOf(schema: GraphQLSchema): (type: BoxType) => Box {
  return (type) => {
    const fields = isUnionType(type) ? [] : Object.values(type.getFields());
    const members = isObjectType(type) ? [] : schema.getPossibleTypes(type);
    const rows = [
      ...fields.map((field) => ({
        name: field.args.length === 0 ? field.name : `${field.name}(…)`,
        of: String(field.type),
        leadsTo: targetsOf(getNamedType(field.type)),
      })),
      ...members.map(({ name }) => ({ name, of: '', leadsTo: [name] })),
    ];
    const letters = Math.max(type.name.length + 2, ...rows.map(({ name, of }) => name.length + of.length + 2));
    const width = Math.ceil(letters * letterWidth) + 2 * padding;
    return { name: type.name, rows, width, height: (rows.length + 1) * rowHeight };
  };
}

function targetsOf(type: GraphQLNamedType): readonly string[] {
  if (!isBoxType(type)) return [];
  if (isShown(type) || isUnionType(type)) return isShown(type) ? [type.name] : [];
  const targets = Object.values(type.getFields()).flatMap((field) => targetsOf(getNamedType(field.type)));
  return [...new Set(targets)];
}

/** Each row is a port, so that its line begins beside it. Graphviz sees no letters: sizes are given. */
function writeGraph(boxes: readonly Box[]): string {
  const cell = (port: string, width: number): string =>
    `<TR><TD PORT="${port}" FIXEDSIZE="TRUE" WIDTH="${width}" HEIGHT="${rowHeight}"></TD></TR>`;
  const nodes = boxes.map(({ name, rows, width }) => {
    const cells = [cell('head', width), ...rows.map((_, at) => cell(`row${at}`, width))];
    const table = `<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="0">${cells.join('')}</TABLE>`;
    return `"${name}" [label=<${table}>]`;
  });
  return `digraph {
  graph [rankdir=LR, nodesep=0.3, ranksep=0.9]
  node [shape=plain, margin=0]
  edge [dir=none]
${[...nodes, ...linesOf(boxes).map(({ from, row, to }) => `"${from}":row${row}:e -> "${to}":head:w`)].join('\n')}
}`;
}

interface Line {
  readonly from: string;
  /** Its place among the rows. */
  readonly row: number;
  readonly to: string;
}

function linesOf(boxes: readonly Box[]): readonly Line[] {
  return boxes.flatMap(({ name, rows }) =>
    rows.flatMap(({ leadsTo }, row) => leadsTo.map((to) => ({ from: name, row, to }))),
  );
}

const tokens = readFileSync(new URL('../src/explorer/browser/site.css', import.meta.url), 'utf8');

/** A token of the page around the picture, or its value where the picture stands alone. */
function token(name: string): string {
  const [, value] = new RegExp(`--${name}: (.*);`).exec(tokens) ?? [];
  if (value === undefined) throw new Error(`site.css has no --${name}.`);
  return `var(--${name}, ${value})`;
}

const style = `
.schema-picture { color-scheme: light dark; font: 12px ${token('mono')} }
.schema-picture .type > rect { fill: ${token('card')}; stroke: ${token('quiet')} }
.schema-picture .head rect { fill: ${token('accent')} }
.schema-picture .head text { fill: ${token('on-accent')}; font-weight: 600 }
.schema-picture text { fill: ${token('text')} }
.schema-picture .of { fill: ${token('quiet')}; text-anchor: end }
.schema-picture a:is(:hover, :focus) text { text-decoration: underline }
.schema-picture .line { fill: none; stroke: ${token('quiet')} }
.schema-picture marker path { fill: ${token('quiet')} }
.schema-picture .type:target > rect { stroke: ${token('accent')}; stroke-width: 3 }
`;

function writeSvg(boxes: readonly Box[], { bb, objects, edges }: Layout): string {
  const margin = 16;
  const [, , width = 0, height = 0] = bb.split(',').map(Number);
  const place = (point: string): readonly [number, number] => {
    const [x = 0, y = 0] = point.split(',').map(Number);
    return [Math.round(x + margin), Math.round(height - y + margin)];
  };
  const size = [width, height].map((length) => Math.ceil(length + 2 * margin));
  const drawnBoxes = boxes.map((box) => {
    const [x, y] = place(objects.find(({ name }) => name === box.name)?.pos ?? '');
    return writeBox(box, x - Math.round(box.width / 2), y - Math.round(box.height / 2));
  });
  // A curve of Bézier: its first point, and three for each further piece.
  const drawnLines = edges.map(({ pos }) => {
    const [first = [0, 0], ...rest] = pos.split(' ').map(place);
    return `<path class="line" d="M${first.join(',')}C${rest.map((point) => point.join(',')).join(' ')}" marker-end="url(#tip)"/>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" class="schema-picture" viewBox="0 0 ${size.join(' ')}" width="${size[0]}" height="${size[1]}" role="group" aria-label="Types of the schema">
<style>${style}</style>
<marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0,0L8,4L0,8z"/></marker>
${[...drawnLines, ...drawnBoxes].join('\n')}
</svg>
`;
}

function writeBox({ name, rows, width, height }: Box, left: number, top: number): string {
  const right = width - padding;
  const drawn = rows.map((row, at) => {
    const y = (at + 1) * rowHeight + 14;
    const of = row.of === '' ? '' : `<text class="of" x="${right}" y="${y}">${row.of}</text>`;
    const texts = `<text class="name" x="${padding}" y="${y}">${row.name}</text>${of}`;
    const [target] = row.leadsTo;
    return target === undefined ? texts : `<a href="#picture-${target}" tabindex="-1">${texts}</a>`;
  });
  return `<g class="type" id="picture-${name}" transform="translate(${left} ${top})"><rect width="${width}" height="${height}"/>
<g class="head"><rect width="${width}" height="${rowHeight}"/><text class="name" x="${padding}" y="14">${name}</text></g>
${drawn.join('\n')}
</g>`;
}
