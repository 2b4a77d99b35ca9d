import { getNamedType, isInterfaceType, isObjectType, Kind, type GraphQLSchema } from 'graphql';
import { createNameCheck, type NameCheck } from './name-check.ts';

/** Whether a document selects a free-form value anywhere, by the schema: only then must numbers be read digit for digit. */
export function createFreeFormCheck(schema: GraphQLSchema): NameCheck {
  const types = Object.values(schema.getTypeMap()).filter((type) => isObjectType(type) || isInterfaceType(type));
  const fields = types.flatMap((type) => Object.values(type.getFields()));
  const freeForm = fields.filter(({ type }) => getNamedType(type).name === 'JSONObject');
  return createNameCheck(Kind.FIELD, new Set(freeForm.map(({ name }) => name)));
}
