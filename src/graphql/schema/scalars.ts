import {
  getNamedType,
  GraphQLError,
  isInterfaceType,
  isObjectType,
  Kind,
  valueFromASTUntyped,
  type DocumentNode,
  type GraphQLScalarType,
  type GraphQLSchema,
  type ValueNode,
} from 'graphql';
import { jsonLevels } from '../../bounds.ts';
import { FreeFormText, identifierOf, illFormedText, isJsonObject, numberOf } from '../../json.ts';
import { namesIn } from '../document.ts';
import { date, dateTime } from '../../moment.ts';

/** What a leaf of the schema accepts from the wire. No type is converted: a value of another type fails its field. */
export interface Leaf {
  readonly expected: string;
  /** The value as the response has it; undefined where it is refused. */
  readonly read: (value: unknown) => unknown;
  /**
   * What it takes of JSON just as it stands, for who reads bytes: a kind of value, or texts of a form. Of anything else `read` decides; of
   * everything where this is absent.
   */
  readonly takes?: 'text' | 'bare' | 'integer' | 'boolean' | 'freeForm' | RegExp;
  /** A cheap test of `v` in JavaScript, for compiled operations. Where it holds, the value passes as it is. */
  readonly code?: string;
}

// Each digit matches one part of the pattern only. Otherwise a million digits with a letter behind would take hours.
const decimal = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

const asItIs =
  (accepts: (value: unknown) => boolean): Leaf['read'] =>
  (value) =>
    accepts(value) ? value : undefined;
const plainText = {
  read: asItIs((value) => typeof value === 'string'),
  code: 'typeof v === "string"',
  takes: 'text',
} as const;

/** Texts of a form, which tells no digit from others: then bytes need not be compared with it each time. */
function textLike(form: RegExp): Pick<Leaf, 'read' | 'takes'> {
  return { read: asItIs((value) => typeof value === 'string' && form.test(value)), takes: form };
}

/** By the names of scalars. Strings, decimals and timestamps pass digit for digit (interface: "Names"). */
export const leaves: Readonly<Record<string, Leaf>> & Readonly<Record<'String' | 'Date' | 'Decimal', Leaf>> = {
  // Identifiers come as integers too.
  ID: { expected: 'a string', ...plainText, read: (value) => (value === '' ? value : identifierOf(value)) },
  String: { expected: 'a string', ...plainText },
  Boolean: {
    expected: 'true or false',
    read: asItIs((value) => typeof value === 'boolean'),
    code: 'typeof v === "boolean"',
    takes: 'boolean',
  },
  Int: { expected: 'an integer of at most 32 bits', read: int32Of, code: '(v | 0) === v', takes: 'integer' },
  Date: { expected: 'a date (YYYY-MM-DD)', ...textLike(date) },
  DateTime: { expected: 'an ISO 8601 date-time', ...textLike(dateTime) },
  Decimal: { expected: 'a decimal string', ...textLike(decimal) },
  JSONObject: {
    expected: `a JSON object of at most ${jsonLevels} levels, of whole characters,`,
    read: freeFormOf,
    takes: 'freeForm',
  },
};

function freeFormOf(value: unknown): unknown {
  if (value instanceof FreeFormText) return value.isWellFormed ? value : undefined;
  if (!isJsonObject(value) || !isWhole(value, jsonLevels)) return undefined;
  // The executor takes any object that has a `then` for a promise. So such an object is wrapped until it is printed.
  return Object.hasOwn(value, 'then') ? { toJSON: () => value } : value;
}

/** Whether a value has no more levels than this, and no broken text. */
function isWhole(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && value !== illFormedText && Object.values(value).every((inner) => isWhole(inner, levels - 1));
}

/** The integer of 32 bits that a value is, however it is written (12, 12.0 and 1.2e1 are one); undefined for any other value. */
export function int32Of(value: unknown): number | undefined {
  const number = numberOf(value);
  return number !== undefined && Number.isInteger(number) && Math.abs(number + 0.5) < 2 ** 31 ? number : undefined;
}

/** Whether a document selects a free-form value anywhere, by the schema. */
export function createFreeFormCheck(schema: GraphQLSchema): (document: DocumentNode) => boolean {
  const types = Object.values(schema.getTypeMap()).filter((type) => isObjectType(type) || isInterfaceType(type));
  const fields = types.flatMap((type) => Object.values(type.getFields()));
  const freeForm = fields.filter(({ type }) => getNamedType(type).name === 'JSONObject');
  return (document) => freeForm.some(({ name }) => namesIn(document).has(name));
}

type Scalar = Partial<Pick<GraphQLScalarType, 'parseValue' | 'parseLiteral'>>;

/**
 * A scalar that is text in JSON. It accepts any text: the field checks its form (arguments.ts), so that a bad date costs that field
 * and not the whole operation.
 */
function textScalar(name: string, expected: string): Scalar {
  const refuse = (nodes?: ValueNode): GraphQLError =>
    new GraphQLError(`${name} must be a string: ${expected}.`, { nodes: nodes ?? null });
  return {
    parseValue(value) {
      if (typeof value === 'string') return value;
      throw refuse();
    },
    parseLiteral(node) {
      if (node.kind === Kind.STRING) return node.value;
      throw refuse(node);
    },
  };
}

/** How scalars read arguments. A value of the response was checked when it was read from its record (wire-fields.ts). */
export const scalars: Readonly<Record<string, Scalar>> = {
  Date: textScalar('Date', 'a date such as "2026-10-01"'),
  DateTime: textScalar('DateTime', 'an ISO 8601 date-time such as "2026-10-01T08:30:00Z"'),
  Decimal: textScalar('Decimal', 'a decimal number such as "12.50"'),
  // The key of a reference may be an integer, which a double would round. In variables it is a text already (variable-values.ts).
  _Any: {
    parseLiteral(node, variables) {
      if (node.kind !== Kind.OBJECT) return valueFromASTUntyped(node, variables);
      const members = node.fields.map(({ name, value }): [string, unknown] => [
        name.value,
        value.kind === Kind.INT ? value.value : valueFromASTUntyped(value, variables),
      ]);
      return Object.fromEntries(members);
    },
  },
};
