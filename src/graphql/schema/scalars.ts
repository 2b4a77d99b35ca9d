import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql';

// A value of the response was checked when it was read from its record (value-reader.ts).
function pass(value: unknown): unknown {
  return value;
}

/**
 * A scalar that is text in JSON. It accepts any text: the field checks its form (arguments.ts), so that a bad date costs that field
 * and not the whole operation.
 */
function textScalar(name: string, expected: string): GraphQLScalarType {
  const refuse = (nodes?: ValueNode): GraphQLError =>
    new GraphQLError(`${name} must be a string: ${expected}.`, { nodes: nodes ?? null });
  return new GraphQLScalarType({
    name,
    serialize: pass,
    parseValue(value) {
      if (typeof value === 'string') return value;
      throw refuse();
    },
    parseLiteral(node) {
      if (node.kind === Kind.STRING) return node.value;
      throw refuse(node);
    },
  });
}

/** The scalars of the schema by name; their descriptions stand in the SDL. */
export const scalars = {
  Date: textScalar('Date', 'a date such as "2026-10-01"'),
  DateTime: textScalar('DateTime', 'an ISO 8601 date-time such as "2026-10-01T08:30:00Z"'),
  Decimal: textScalar('Decimal', 'a decimal number such as "12.50"'),
  JSONObject: new GraphQLScalarType({ name: 'JSONObject', serialize: pass }),
};
