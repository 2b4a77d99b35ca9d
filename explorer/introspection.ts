import type { IntrospectionSchema, IntrospectionTypeRef } from 'graphql';
import type { Answer } from './answer.ts';

export interface Introspection extends Answer {
  readonly data?: { readonly __schema?: IntrospectionSchema } | null;
}

const machineDirectives = new Set(
  (
    'authenticated composeDirective connect context cost external extends fromContext inaccessible interfaceObject key link ' +
    'listSize override policy provides requires requiresScopes shareable source tag'
  ).split(' '),
);

/** Names of federation begin with `_` or with the name of its specification; names of GraphQL itself begin with `__`. */
const isShown = ({ name }: { readonly name: string }): boolean => !/^_(?!_)|^(?:federation|link)__/.test(name);

/** The name of a type below lists and non-nulls. */
function namedType(type: IntrospectionTypeRef): { readonly name: string } {
  return 'ofType' in type ? namedType(type.ofType) : type;
}

/** Takes what only routers need out of a schema, so that the documentation begins with what people query. */
export function withoutMachinery(answer: Introspection): Answer {
  const { __schema: schema } = answer.data ?? {};
  if (schema === undefined) return answer;
  const types = schema.types.filter(isShown).map((type) => ({
    ...type,
    ...('fields' in type && {
      fields: type.fields.filter((field) => isShown(field) && isShown(namedType(field.type))),
    }),
    ...('possibleTypes' in type && { possibleTypes: type.possibleTypes.filter(isShown) }),
  }));
  const directives = schema.directives.filter((each) => isShown(each) && !machineDirectives.has(each.name));
  return { ...answer, data: { __schema: { ...schema, types, directives } } };
}
