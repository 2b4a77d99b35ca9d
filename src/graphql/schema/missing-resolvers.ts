type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

/** A record under the names of its fields. */
type FieldsOf<Record> = { [Name in keyof Record & string as CamelCase<Name>]: Record[Name] };

type Result<Resolve> = Resolve extends (...args: never[]) => infer R ? Awaited<R> : never;

/**
 * The resolvers of a type that its record does not make needless. A record that lacks a field of the schema, or that may
 * hold null where the schema promises a value, leaves that field here: a compile error until a resolver is written for it.
 */
export type MissingResolvers<Resolvers, Record> = {
  [
    Name in Exclude<keyof Resolvers, '__isTypeOf' | '__resolveReference'> as Name extends keyof FieldsOf<Record>
      ? FieldsOf<Record>[Name] extends Result<Resolvers[Name]>
        ? never
        : Name
      : Name
  ]: Resolvers[Name];
};
