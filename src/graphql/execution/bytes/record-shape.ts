import {
  getNamedType,
  getNullableType,
  isAbstractType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  type GraphQLNullableType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
} from 'graphql';
import { objectOf, type Member, type RecordShape, type Shape } from '../../../transcoder/tables.ts';
import type { AnyEntity, Endpoint } from '../../../upstream/endpoint.ts';
import { nodeIdShape } from '../../identity/node-id.ts';
import { leaves, type Leaf } from '../../schema/scalars.ts';
import { wireFieldOf, type WireField } from '../../schema/wire-fields.ts';
import { formOf, isPlainRecord, unionOf, type Form } from '../../schema/wire-forms.ts';
import type { Nodes } from '../plan/compile.ts';
import { Uncovered, type Selection, type WithSelection } from '../plan/selection.ts';
import type { RowType } from './rows.ts';

/** What fields of the schema keep for those who read bytes. */
export interface Noted {
  /** Of a field of the root: what it shows, a list by the type of its rows, or a record. */
  readonly source?: { readonly endpoint: Endpoint<unknown>; readonly rows: RowType | null };
  /** Of a `nodeId`: what it is of. */
  readonly entity?: AnyEntity;
  /** Of a field that may hold a secret. */
  readonly covered?: WireField;
}

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

  /** The JSON text of an object of a type around its fields, and what `partOf` makes of each. */
  object<Part extends object>(
    type: GraphQLObjectType,
    nodes: readonly WithSelection[],
    partOf: (name: string, nodes: Nodes, key: string) => Part,
  ) {
    const fields = [...this.#selection.fieldsOf(type, nodes)].map(([key, own]) => {
      const name = own[0].name.value;
      return [key, name === '__typename' ? { text: JSON.stringify(type.name) } : partOf(name, own, key)] as const;
    });
    return objectOf<Part>(fields);
  }

  record(type: GraphQLObjectType, nodes: Nodes, handedOut: readonly string[] = []): RecordShape {
    if (!isPlainRecord(type)) throw new Uncovered();
    const { parts, tail } = this.object(type, nodes, (name, own) => this.#member(type, name, own));
    return { kind: 'record', members: parts, tail, handedOut };
  }

  #member(type: GraphQLObjectType, name: string, nodes: Nodes): Omit<Member, 'before'> {
    const field = type.getFields()[name];
    if (field?.resolve === undefined) throw new Uncovered();
    const isRequired = isNonNullType(field.type);
    const { entity, covered } = field.extensions as Noted;
    if (entity !== undefined) return { shape: nodeIdShape(entity), isRequired };
    if (covered !== undefined && !this.#exposeSecrets)
      return { name: covered.name, shape: leafShape(covered.leaf), isRequired };
    const read = wireFieldOf(field);
    if (read === undefined) throw new Uncovered();
    return { name: read.name, shape: this.#value(getNullableType(field.type), nodes, read.leaf), isRequired };
  }

  #value(type: GraphQLNullableType & GraphQLOutputType, nodes: Nodes, leaf?: Leaf): Shape {
    if (isListType(type)) return { kind: 'list', item: this.#value(getNullableType(type.ofType), nodes, leaf) };
    if (isLeafType(type)) return leafShape(leaf ?? leaves[type.name]);
    if (!isObjectType(type)) return this.#union(type, nodes);
    const { pair } = formOf(type);
    return pair === undefined ? this.record(type, nodes) : this.#pair(type, nodes, pair);
  }

  #union(type: GraphQLOutputType, nodes: Nodes): Shape {
    const union = unionOf(getNamedType(type));
    if (union === undefined || !isAbstractType(type)) throw new Uncovered();
    const options = Object.entries(union.types).map(([tag, name]) => {
      const option = this.#schema.getType(name);
      if (!isObjectType(option)) throw new Uncovered();
      // The tag is looked at again, so that it does not come twice.
      return [tag, this.record(option, nodes, [union.tag])] as const;
    });
    return { kind: 'union', tag: union.tag, options: Object.fromEntries(options) };
  }

  #pair(type: GraphQLObjectType, nodes: Nodes, hiding: NonNullable<Form['pair']>): Shape {
    // Where nothing is hidden, its texts may be of any form.
    if (this.#exposeSecrets) throw new Uncovered();
    const text = this.object(type, nodes, (name) => {
      if (name !== 'name' && name !== 'value') throw new Uncovered();
      return { of: name } as const;
    });
    return { kind: 'pair', hiding, ...text };
  }
}

function leafShape(leaf: Leaf | undefined): Shape {
  if (leaf?.takes === undefined) throw new Uncovered();
  return leaf.takes instanceof RegExp ? { kind: 'form', form: leaf.takes } : { kind: leaf.takes };
}
