import type { GraphQLResolveInfo } from 'graphql';

/**
 * What a resolver is told of its field, besides the parent and arguments: of graphql-js's `info` as much as a compiled plan
 * has. The generated types of resolvers know no more (`customResolveInfo` in codegen.yml): to read more does not compile.
 */
export type FieldInfo = Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments' | 'variableValues'>;
