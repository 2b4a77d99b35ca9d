import {
  getNamedType,
  getNullableType,
  isAbstractType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  type FieldNode,
  type GraphQLField,
  type GraphQLNullableType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
} from 'graphql';
import { lineTypes } from '../../../billing/summary-line.ts';
import { attemptErrorLeaf, errorCodeLeaf } from '../../schema/attempt-error.ts';
import type { Leaf } from '../../schema/leaf.ts';
import { hiddenHeaders, hiddenValue } from '../../schema/redacted-header.ts';
import { isPlainRecord } from '../../schema/value-reader.ts';
import { wireFieldOf, wireNameOf } from '../../schema/wire-fields.ts';
import { Uncovered, type Selection } from '../plan/selection.ts';
import type { ByteFieldSource } from './byte-field.ts';
import { absences, kinds, type Entry, type ObjectShape, type Shape } from './layout.ts';
import { Members } from './members.ts';
import { bareShape, resolvedFields, type Member } from './resolved-fields.ts';
import type { TableWriter } from './tables.ts';

type Nodes = readonly [FieldNode, ...FieldNode[]];
type ShapeSource = Pick<ByteFieldSource, 'schema' | 'selection' | 'exposeSecrets'>;

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

/** Types whose objects are no plain records on the wire. */
const ownKinds: Readonly<Record<string, ObjectShape['kind']>> = { AttemptError: kinds.error };

/** Records whose shape one of their members tells, by the type that they are shown as. */
const unions: Readonly<Record<string, { readonly name: string; readonly types: Readonly<Record<string, string>> }>> = {
  SummaryLine: { name: 'type', types: lineTypes },
};

const headerMembers: readonly string[] = ['name', 'value'];

/** Writes the shapes of what a selection asks of records. Throws `Uncovered` where it asks for anything that bytes cannot tell. */
export class ShapeCompiler {
  readonly #schema: GraphQLSchema;
  readonly #selection: Selection;
  readonly #tables: TableWriter;
  readonly #exposeSecrets: boolean;

  constructor({ schema, selection, exposeSecrets }: ShapeSource, tables: TableWriter) {
    this.#schema = schema;
    this.#selection = selection;
    this.#exposeSecrets = exposeSecrets;
    this.#tables = tables;
  }

  /** The shape of an object; the entries of what is watched, in their order. */
  object(type: GraphQLObjectType, nodes: readonly FieldNode[], watched: readonly Watched[] = []) {
    if (type.name === 'HttpHeader') return { shape: this.#header(type, nodes), watched: [] };
    const kind = isPlainRecord(type.name) ? kinds.object : ownKinds[type.name];
    if (kind === undefined) throw new Uncovered();
    const members = new Members();
    for (const [key, fieldNodes] of this.#fieldsOf(type, nodes)) this.#addField(members, type, key, fieldNodes);
    const indexes = watched.map((each) => members.watch({ name: each.name, shape: this.#tables.leaf(each.kind) }));
    return { shape: this.#tables.object({ ...members.end(), kind }), watched: indexes };
  }

  #fieldsOf(type: GraphQLObjectType, nodes: readonly FieldNode[]) {
    return this.#selection.fieldsOf(
      type,
      nodes.flatMap(({ selectionSet }) => selectionSet ?? []),
    );
  }

  #addField(members: Members, type: GraphQLObjectType, key: string, nodes: Nodes): void {
    const member = this.member(type, nodes);
    if ('text' in member) members.showText(key, member.text);
    else if ('of' in member) members.showComputed(key, member);
    else members.show(key, member);
  }

  member(type: GraphQLObjectType, nodes: Nodes): Member {
    const [{ name }] = nodes;
    if (name.value === '__typename') return { text: JSON.stringify(type.name) };
    const field = type.getFields()[name.value];
    if (field?.resolve === undefined) throw new Uncovered();
    const read = wireFieldOf(field.resolve);
    if (read === undefined) return this.#resolvedMember(type, field, nodes);
    if (read.type !== field.type) throw new Uncovered();
    const shape = this.value(getNullableType(field.type), nodes, read.leaf);
    return { name: read.name, shape, absence: isNonNullType(field.type) ? absences.refused : absences.null };
  }

  #resolvedMember(type: GraphQLObjectType, field: GraphQLField<unknown, unknown>, nodes: Nodes): Member {
    const coordinate = `${type.name}.${field.name}`;
    const toMember = Object.hasOwn(resolvedFields, coordinate) ? resolvedFields[coordinate] : undefined;
    if (toMember === undefined) throw new Uncovered();
    return toMember({
      tables: this.#tables,
      exposeSecrets: this.#exposeSecrets,
      returned: () => this.value(getNullableType(field.type), nodes),
    });
  }

  /** The shape of a value that is there. */
  value(type: GraphQLNullableType & GraphQLOutputType, nodes: Nodes, leaf?: Leaf): Shape {
    if (isListType(type)) return this.#tables.list(this.value(getNullableType(type.ofType), nodes, leaf));
    if (isLeafType(type)) {
      if (leaf === attemptErrorLeaf) return this.#errorCode();
      const kind = leaf === errorCodeLeaf ? kinds.code : scalarKinds[type.name];
      if (kind === undefined || (leaf !== undefined && leaf !== errorCodeLeaf)) throw new Uncovered();
      return this.#tables.leaf(kind);
    }
    return isObjectType(type) ? this.object(type, nodes).shape : this.#union(type, nodes);
  }

  #errorCode(): Shape {
    const code = { name: 'code', shape: this.#tables.leaf(kinds.code), absence: absences.refused };
    return this.#tables.errorCode(bareShape(this.#tables, [code]));
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

  #header(type: GraphQLObjectType, nodes: readonly FieldNode[]): Shape {
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
    if (this.#exposeSecrets) return this.#tables.object({ ...members.end(), kind: kinds.openHeader });
    const hiding = { names: hiddenHeaders, shown: hiddenValue };
    return this.#tables.object({ ...members.end(), kind: kinds.header, hiding });
  }
}
