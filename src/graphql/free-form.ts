import {
  BREAK,
  getNamedType,
  isInterfaceType,
  isObjectType,
  visit,
  type DocumentNode,
  type GraphQLSchema,
} from 'graphql';

/** Whether a document selects a free-form value anywhere: only then must numbers be read digit for digit. */
export type SelectsFreeForm = (document: DocumentNode) => boolean;

/** Looks for the names of the schema's fields of type JSONObject; each document is looked through once. */
export function createFreeFormCheck(schema: GraphQLSchema): SelectsFreeForm {
  const types = Object.values(schema.getTypeMap()).filter((type) => isObjectType(type) || isInterfaceType(type));
  const fields = types.flatMap((type) => Object.values(type.getFields()));
  const names = new Set(fields.filter(({ type }) => getNamedType(type).name === 'JSONObject').map(({ name }) => name));
  const known = new WeakMap<DocumentNode, boolean>();

  function isSelected(document: DocumentNode): boolean {
    let found = false;
    visit(document, {
      Field({ name }) {
        found ||= names.has(name.value);
        return found ? BREAK : undefined;
      },
    });
    return found;
  }

  return (document) => {
    const answer = known.get(document) ?? isSelected(document);
    known.set(document, answer);
    return answer;
  };
}
