import { typedDocuments } from '@switchboard-gateway/client/codegen';

// In your own project: the schema as the client guide gets it, and `export { default } from '@switchboard-gateway/client/codegen'`.
export default typedDocuments({ schema: '../../schema.graphql' });
