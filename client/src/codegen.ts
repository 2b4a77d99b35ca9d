import { scalars } from './values.ts';

/** Where things are, below the folder of the configuration. */
interface Places {
  /** The SDL of `/schema.graphql`, or its address. Default: `schema.graphql`. */
  readonly schema?: string;
  /** Where documents stand. Default: all `.ts`, `.tsx` and `.graphql` files below `src/`. */
  readonly documents?: string | readonly string[];
  /** The folder that is written; it ends with a slash. Default: `src/generated/`. */
  readonly output?: string;
  /** Further settings of graphql-codegen's client preset, e.g. `{ documentMode: 'string' }`. */
  readonly config?: Readonly<Record<string, unknown>>;
}

/**
 * The configuration of graphql-codegen by its client preset: the whole of a `codegen.ts` is
 * `export { default } from '@switchboard-gateway/client/codegen'`, or `export default typedDocuments({ … })`.
 */
export function typedDocuments({
  schema = 'schema.graphql',
  documents = 'src/**/*.{graphql,ts,tsx}',
  output = 'src/generated/',
  config = {},
}: Places = {}) {
  return {
    schema,
    // What is generated holds documents too.
    documents: [documents, `!${output}**`].flat(),
    ignoreNoDocuments: true,
    generates: Object.fromEntries([
      [output, { preset: 'client', config: { useTypeImports: true, strictScalars: true, scalars, ...config } }],
    ]),
  };
}

export default typedDocuments();
