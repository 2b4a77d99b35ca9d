import type { CodegenConfig } from '@graphql-codegen/cli';

const config: CodegenConfig = {
  schema: 'schema.graphql',
  documents: 'src/*.ts',
  generates: {
    'src/generated/': {
      preset: 'client',
      config: {
        documentMode: 'string',
        useTypeImports: true,
        strictScalars: true,
        nullability: { errorHandlingClient: true },
        scalars: { Date: 'string', DateTime: 'string', Decimal: 'string', JSONObject: 'unknown' },
      },
    },
  },
};
export default config;
