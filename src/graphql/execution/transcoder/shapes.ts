import {
  getNamedType,
  getNullableType,
  isAbstractType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  type FieldNode,
  type GraphQLNullableType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
} from 'graphql';
import { lineTypes } from '../../billing/summary-line.ts';
import { attemptErrorLeaf, errorCodeLeaf } from '../../schema/attempt-error.ts';
import type { Leaf } from '../../schema/leaf.ts';
import { isPlainRecord } from '../../schema/value-reader.ts';
import { wireFieldOf, wireNameOf } from '../../schema/wire-fields.ts';
import { Uncovered, type Selection } from '../plan/selection.ts';
import { absences, kinds, type Emission, type Entry, type Shape, type TableWriter } from './tables.ts';

type Nodes = readonly [FieldNode, ...FieldNode[]];

/** A member of a record that is looked at, although nothing shows it. */
export type Watched = Pick<Entry, 'name'> & { readonly kind: number };

const scalarKinds: Readonly<Record<string, number>> = {
  ID: kinds.text,
  String: kinds.text,
  Boolean: kinds.boolean,
  Int: kinds.integer,
  Date: kinds.date,
  DateTime: kinds.dateTime,
  Decimal: kinds.decimal,
  JSONObject: kinds.freeForm,
};

// What is no integer there is for the JSON plan.
const leafKinds = new Map<Leaf, number>([
  [attemptErrorLeaf, kinds.integer],
  [errorCodeLeaf, kinds.integer],
]);

/** Records whose shape one of their members tells, by the type that they are shown as. */
const unions: Readonly<Record<string, { readonly name: string; readonly types: Readonly<Record<string, string>> }>> = {
  SummaryLine: { name: 'type', types: lineTypes },
};

/** Fields of resolvers of their own that bytes are enough for, where no secret may be shown. */
const ownFields: Readonly<
  Record<string, { readonly name: string; readonly kind: number } | { readonly text: string }>
> = {
  'IpConnectionOutbound.ipAuthenticationToken': { text: 'null' },
  'IpConnectionOutbound.ipAuthenticationTokenSet': { name: 'ip_authentication_token', kind: kinds.isSet },
};

const headerMembers: readonly string[] = ['name', 'value'];

/** Writes the shapes of what a selection asks of records. Throws `Uncovered` where it asks for anything that bytes cannot tell. */
export class ShapeCompiler {
  readonly #schema: GraphQLSchema;
  readonly #selection: Selection;
  readonly #tables: TableWriter;

  constructor(schema: GraphQLSchema, selection: Selection, tables: TableWriter) {
    this.#schema = schema;
    this.#selection = selection;
    this.#tables = tables;
  }

  /** The shape of an object; the entries of what is watched, in their order. */
  object(type: GraphQLObjectType, nodes: Nodes, watched: readonly Watched[] = []) {
    if (type.name === 'HttpHeader') return { shape: this.#header(type, nodes), watched: [] };
    if (!isPlainRecord(type.name)) throw new Uncovered();
    const members = new Members();
    for (const [key, fieldNodes] of this.#fieldsOf(type, nodes)) this.#addField(members, type, key, fieldNodes);
    const indexes = watched.map(({ name, kind }) => members.watch({ name, shape: this.#tables.leaf(kind) }));
    return { shape: this.#tables.object(members.end()), watched: indexes };
  }

  #fieldsOf(type: GraphQLObjectType, nodes: Nodes) {
    return this.#selection.fieldsOf(
      type,
      nodes.flatMap(({ selectionSet }) => selectionSet ?? []),
    );
  }

  #addField(members: Members, type: GraphQLObjectType, key: string, nodes: Nodes): void {
    const member = this.member(type, nodes);
    if ('text' in member) members.showText(key, member.text);
    else members.show(key, member);
  }

  /** What a field of a record is: a member of it, or a text that is always the same. */
  member(type: GraphQLObjectType, nodes: Nodes): Entry | { readonly text: string } {
    const [{ name }] = nodes;
    if (name.value === '__typename') return { text: JSON.stringify(type.name) };
    const field = type.getFields()[name.value];
    if (field?.resolve === undefined) throw new Uncovered();
    const own = ownFields[`${type.name}.${name.value}`];
    if (own !== undefined && 'text' in own) return own;
    if (own !== undefined) return { name: own.name, shape: this.#tables.leaf(own.kind), absence: absences.false };
    const read = wireFieldOf(field.resolve);
    if (read?.type !== field.type) throw new Uncovered();
    const shape = this.value(getNullableType(field.type), nodes, read.leaf);
    return { name: read.name, shape, absence: isNonNullType(field.type) ? absences.refused : absences.null };
  }

  /** The shape of a value that is there. */
  value(type: GraphQLNullableType & GraphQLOutputType, nodes: Nodes, leaf?: Leaf): Shape {
    if (isListType(type)) return this.#tables.list(this.value(getNullableType(type.ofType), nodes, leaf));
    if (isLeafType(type)) {
      const kind = leaf === undefined ? scalarKinds[type.name] : leafKinds.get(leaf);
      if (kind === undefined) throw new Uncovered();
      return this.#tables.leaf(kind);
    }
    return isObjectType(type) ? this.object(type, nodes).shape : this.#union(type, nodes);
  }

  #union(type: GraphQLOutputType, nodes: Nodes): Shape {
    const union = unions[getNamedType(type).name];
    if (union === undefined || !isAbstractType(type)) throw new Uncovered();
    const options = Object.entries(union.types).map(([value, name]) => {
      const option = this.#schema.getType(name);
      if (!isObjectType(option)) throw new Uncovered();
      // Looked at again, so that it does not come twice.
      return { value, shape: this.object(option, nodes, [{ name: union.name, kind: kinds.text }]).shape };
    });
    return this.#tables.union(union.name, options);
  }

  #header(type: GraphQLObjectType, nodes: Nodes): Shape {
    const members = new Members();
    const shape = this.#tables.leaf(kinds.text);
    for (const name of headerMembers) members.watch({ name, shape });
    for (const [key, fieldNodes] of this.#fieldsOf(type, nodes)) {
      const [{ name }] = fieldNodes;
      if (name.value === '__typename') members.showText(key, JSON.stringify(type.name));
      else if (headerMembers.includes(name.value))
        members.show(key, { name: wireNameOf(name.value), shape, absence: absences.null });
      else throw new Uncovered();
    }
    return this.#tables.object({ ...members.end(), kind: kinds.header });
  }
}

/** The entries of an object and what is written of them, as they are gathered. */
export class Members {
  readonly #entries: Entry[] = [];
  readonly #emissions: Emission[] = [];
  #pending = '{';
  #isFirst = true;

  /** Shows a text that is always the same. */
  showText(key: string, text: string): void {
    this.#begin(key);
    this.#pending += text;
  }

  show(key: string, entry: Entry): void {
    this.#begin(key);
    this.#emissions.push({ text: this.#pending, entry: this.add(entry) });
    this.#pending = '';
  }

  /** Looks at a member, and says where its entry is. */
  watch({ name, shape }: Pick<Entry, 'name' | 'shape'>): number {
    const index = this.#entries.findIndex((entry) => entry.name === name);
    return index < 0 ? this.#entries.push({ name, shape, absence: absences.null }) - 1 : index;
  }

  end() {
    return { entries: this.#entries, emissions: this.#emissions, tail: `${this.#pending}}` };
  }

  #begin(key: string): void {
    this.#pending += `${this.#isFirst ? '' : ','}${JSON.stringify(key)}:`;
    this.#isFirst = false;
  }

  /** The index of an entry. The same member may be shown under several names; what is not the same of it is for the JSON plan. */
  add(entry: Entry): number {
    const index = this.#entries.findIndex(({ name }) => name === entry.name);
    if (index < 0) return this.#entries.push(entry) - 1;
    const known = this.#entries[index];
    if (known?.shape !== entry.shape || known.absence !== entry.absence) throw new Uncovered();
    return index;
  }
}
