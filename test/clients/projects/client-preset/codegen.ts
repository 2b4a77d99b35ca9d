import { typedDocuments } from '../../../../client/src/codegen.ts';

export default typedDocuments({ config: { documentMode: 'string', nullability: { errorHandlingClient: true } } });
