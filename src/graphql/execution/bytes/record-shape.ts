import {
  getNamedType,
  getNullableType,
  isAbstractType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  type GraphQLNamedType,
  type GraphQLNullableType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
} from 'graphql';
import { objectOf, type Member, type Needs, type RecordShape, type Shape } from '../../../transcoder/tables.ts';
import type { Endpoint } from '../../../upstream/endpoint.ts';
import { leaves, type Leaf } from '../../schema/scalars.ts';
import { type Form, formOf, isPlainRecord, unionOf, type WireField, wireFieldOf } from '../../schema/wire-fields.ts';
import { compileFields } from '../plan/compile.ts';
import { Uncovered, type Nodes, type FieldsOf, type WithSelection } from '../plan/selection.ts';
import type { RowType } from './rows.ts';

/** What a field that is computed reads of its record: a row's other members need not be parsed for it. */
export interface FieldNeeds {
  /** Members of the record, by their wire names. */
  readonly members: Needs;
  /** The member that holds the records that it returns: what is selected of them is needed as well. */
  readonly shows?: string;
  /** Whether it is null where secrets are hidden. */
  readonly isSecret?: boolean;
}

/** What fields of the schema keep for those who read bytes. */
export interface Noted {
  /** Of a field of the root: what it shows, a list by the type of its rows, or a record. */
  readonly source?: { readonly endpoint: Endpoint<unknown>; readonly rows: RowType | null };
  /** Of a field that may hold a secret. */
  readonly covered?: WireField;
  /** Of a field that is computed. */
  readonly needs?: FieldNeeds;
}

/** A field whose place in a row is left open: its resolver is called with the members that it needs. */
type OpenField = readonly [type: GraphQLObjectType, nodes: Nodes];

/**
 * Tells the transcoder what a selection asks of records, by the declarations that plans read as well. Methods throw `Uncovered` where it
 * asks for what a table cannot tell: that is for plans.
 */
export class RecordShapes {
  readonly #schema: GraphQLSchema;
  readonly #fieldsOf: FieldsOf;
  readonly #exposeSecrets: boolean;
  readonly #open: OpenField[] = [];

  constructor(schema: GraphQLSchema, fieldsOf: FieldsOf, exposeSecrets: boolean) {
    this.#schema = schema;
    this.#fieldsOf = fieldsOf;
    this.#exposeSecrets = exposeSecrets;
  }

  /** Compiles what fills the places that are left open. */
  compileOpen() {
    return compileFields(this.#schema, this.#open, this.#fieldsOf);
  }

  /** The JSON text of an object of a type around its fields, and what `partOf` makes of each. */
  object<Part extends object>(
    type: GraphQLObjectType,
    nodes: readonly WithSelection[],
    partOf: (name: string, nodes: Nodes, key: string) => Part | { readonly text: string },
  ) {
    const fields = [...this.#fieldsOf(type, nodes)].map(([key, own]) => {
      const name = own[0].name.value;
      return [key, name === '__typename' ? { text: JSON.stringify(type.name) } : partOf(name, own, key)] as const;
    });
    return objectOf<Part>(fields);
  }

  /** A record that leaves no place open. */
  closedRecord(type: GraphQLObjectType, nodes: Nodes): RecordShape {
    const record = this.record(type, nodes);
    if (this.#open.length > 0) throw new Uncovered();
    return record;
  }

  record(type: GraphQLObjectType, nodes: Nodes, handedOut: readonly string[] = []): RecordShape {
    if (!isPlainRecord(type)) throw new Uncovered();
    const { parts, tail } = this.object(type, nodes, (name, own) => this.#member(type, name, own));
    return { kind: 'record', members: parts, tail, handedOut };
  }

  #member(type: GraphQLObjectType, name: string, nodes: Nodes): Omit<Member, 'before'> | { readonly text: string } {
    const { needs } = this.#field(type, name).extensions as Noted;
    if (needs?.isSecret === true && !this.#exposeSecrets) return { text: 'null' };
    const openBefore = this.#open.length;
    try {
      return this.#shaped(type, name, nodes);
    } catch (error) {
      if (!(error instanceof Uncovered)) throw error;
      this.#open.length = openBefore;
      const members = this.#needsOf(type, name, nodes);
      return { shape: { kind: 'open', number: this.#open.push([type, nodes]) - 1, needs: members }, isRequired: false };
    }
  }

  #field(type: GraphQLObjectType, name: string) {
    const field = type.getFields()[name];
    if (field === undefined) throw new Uncovered();
    return field;
  }

  /** The members of its record that a field needs, if its place is left open. */
  #needsOf(type: GraphQLObjectType, name: string, nodes: Nodes): Needs {
    const field = this.#field(type, name);
    const { covered, needs } = field.extensions as Noted;
    if (covered !== undefined) return { [covered.name]: true };
    const returned = getNamedType(field.type);
    if (needs !== undefined) {
      const { members, shows } = needs;
      return shows === undefined ? members : merged(members, { [shows]: this.#needsWithin(returned, nodes) });
    }
    const read = wireFieldOf(field);
    // Free-form values are to be shown digit for digit.
    if (read === undefined || returned.name === 'JSONObject') throw new Uncovered();
    return { [read.name]: this.#needsWithin(returned, nodes) };
  }

  /** What is needed of a value of this type: all of one that is no plain record. */
  #needsWithin(type: GraphQLNamedType, nodes: Nodes): Needs | true {
    if (isAbstractType(type)) throw new Uncovered();
    if (!isObjectType(type) || !isPlainRecord(type)) return true;
    const fields = [...this.#fieldsOf(type, nodes).values()].filter(([{ name }]) => name.value !== '__typename');
    return fields.map((own) => this.#needsOf(type, own[0].name.value, own)).reduce<Needs>(merged, {});
  }

  #shaped(type: GraphQLObjectType, name: string, nodes: Nodes): Omit<Member, 'before'> {
    const field = this.#field(type, name);
    const isRequired = isNonNullType(field.type);
    const { covered } = field.extensions as Noted;
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

function merged(left: Needs, right: Needs): Needs {
  const both = { ...left };
  for (const [name, needs] of Object.entries(right)) {
    const known = both[name];
    if (known === undefined || needs === true) both[name] = needs;
    else if (known !== true) both[name] = merged(known, needs);
  }
  return both;
}

function leafShape(leaf: Leaf | undefined): Shape {
  if (leaf?.takes === undefined) throw new Uncovered();
  return leaf.takes instanceof RegExp ? { kind: 'form', form: leaf.takes } : { kind: leaf.takes };
}
