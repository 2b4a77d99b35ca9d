import type { GraphQLResolveInfo } from 'graphql';

/**
 * What a resolver knows of its field, besides the parent and arguments: the members of graphql-js's `info` that a compiled plan has.
 * The generated types of resolvers have no others (`customResolveInfo` in codegen.yml), so that to read more does not compile.
 */
export type FieldInfo = Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments' | 'variableValues'>;
