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
import { hintLength } from '../../../bounds.ts';
import { objectOf, recordOf, type Field, type RecordShape, type Shape } from '../../../transcoder/tables.ts';
import { lineUnion } from '../../../billing/summary-line.ts';
import type { AnyEntity, Endpoint } from '../../../upstream/endpoint.ts';
import { leaves, type Leaf } from '../../schema/leaf.ts';
import { hiddenHeaders, hiddenValue } from '../../schema/redacted-header.ts';
import { isPlainRecord } from '../../schema/value-reader.ts';
import { wireFieldOf } from '../../schema/wire-fields.ts';
import { Uncovered, type Selection } from '../plan/selection.ts';
import type { MakeRow } from './rows.ts';

type Nodes = readonly FieldNode[];

/** What fields of the schema keep for those who read bytes. */
export interface Noted {
  /** Of a field of the root. */
  source?: Source;
  /** Of a `nodeId`: what it is of. */
  entity?: AnyEntity;
}

/** What a field of the root shows: the rows of a list, or a record. */
export type Source =
  | { readonly endpoint: Endpoint<unknown>; readonly names: readonly string[]; readonly makeRow: MakeRow }
  | { readonly endpoint: Endpoint<unknown>; readonly makeRow: null };

/** Unions whose member types a tag of the record tells. */
const unions: Readonly<Record<string, { readonly tag: string; readonly types: Readonly<Record<string, string>> }>> = {
  SummaryLine: lineUnion,
};

/**
 * Tells the transcoder what a selection asks of records, by the declarations that plans read as well. Methods throw `Uncovered` where it
 * asks for what a table cannot tell: that is for plans.
 */
export class RecordShapes {
  readonly #schema: GraphQLSchema;
  readonly #selection: Selection;
  readonly #exposeSecrets: boolean;

  constructor(schema: GraphQLSchema, selection: Selection, exposeSecrets: boolean) {
    this.#schema = schema;
    this.#selection = selection;
    this.#exposeSecrets = exposeSecrets;
  }

  record(type: GraphQLObjectType, nodes: Nodes, handedOut: readonly string[] = []): RecordShape {
    if (!isPlainRecord(type.name)) throw new Uncovered();
    const fields = [...this.fieldsOf(type, nodes)].map(([key, own]) => [key, this.#field(type, own)] as const);
    return recordOf(fields, handedOut);
  }

  fieldsOf(type: GraphQLObjectType, nodes: Nodes) {
    return this.#selection.fieldsOf(
      type,
      nodes.flatMap(({ selectionSet }) => selectionSet ?? []),
    );
  }

  #field(type: GraphQLObjectType, nodes: readonly [FieldNode, ...FieldNode[]]): Field {
    const name = nodes[0].name.value;
    if (name === '__typename') return { text: JSON.stringify(type.name) };
    const field = type.getFields()[name];
    if (field?.resolve === undefined) throw new Uncovered();
    const isRequired = isNonNullType(field.type);
    const { entity } = field.extensions as Noted;
    if (entity !== undefined) return { shape: nodeIdShape(entity), isRequired };
    const read = wireFieldOf(field.resolve);
    if (read === undefined || read.type !== field.type) throw new Uncovered();
    return { name: read.name, shape: this.#value(getNullableType(field.type), nodes, read.leaf), isRequired };
  }

  #value(type: GraphQLNullableType & GraphQLOutputType, nodes: Nodes, leaf?: Leaf): Shape {
    if (isListType(type)) return { kind: 'list', item: this.#value(getNullableType(type.ofType), nodes, leaf) };
    if (isLeafType(type)) return leafShape(leaf ?? leaves[type.name]);
    if (!isObjectType(type)) return this.#union(type, nodes);
    return type.name === 'HttpHeader' ? this.#header(type, nodes) : this.record(type, nodes);
  }

  #union(type: GraphQLOutputType, nodes: Nodes): Shape {
    const union = unions[getNamedType(type).name];
    if (union === undefined || !isAbstractType(type)) throw new Uncovered();
    const options = Object.entries(union.types).map(([tag, name]) => {
      const option = this.#schema.getType(name);
      if (!isObjectType(option)) throw new Uncovered();
      // The tag is looked at again, so that it does not come twice.
      return [tag, this.record(option, nodes, [union.tag])] as const;
    });
    return { kind: 'union', tag: union.tag, options: Object.fromEntries(options) };
  }

  #header(type: GraphQLObjectType, nodes: Nodes): Shape {
    const fields = [...this.fieldsOf(type, nodes)].map(([key, [{ name }]]) => {
      if (name.value === '__typename') return [key, { text: JSON.stringify(type.name) }] as const;
      if (name.value !== 'name' && name.value !== 'value') throw new Uncovered();
      return [key, { of: name.value }] as const;
    });
    // Where nothing is hidden, headers may be of any form.
    if (this.#exposeSecrets) throw new Uncovered();
    const hiding = { names: hiddenHeaders, cover: hiddenValue };
    return { kind: 'pair', hiding, ...objectOf<{ readonly of: 'name' | 'value' }>(fields) };
  }
}

function leafShape(leaf: Leaf | undefined): Shape {
  if (leaf?.takes === undefined) throw new Uncovered();
  return leaf.takes instanceof RegExp ? { kind: 'form', form: leaf.takes } : { kind: leaf.takes };
}

/** As node-id.ts writes it. */
function nodeIdShape(entity: AnyEntity): Shape {
  const { type, list, hintName } = entity;
  const id = { name: list.idName, isRequired: true };
  const parts = hintName === null ? [id] : [id, { name: hintName, isRequired: false }];
  const behind = hintName === null ? ',null]' : ']';
  return { kind: 'encoded', before: `["${type}",`, behind, parts, longest: hintLength };
}
