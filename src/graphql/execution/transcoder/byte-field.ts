import type { FieldNode, GraphQLObjectType, GraphQLSchema } from 'graphql';
import type { Endpoint } from '../../../upstream/endpoint.ts';
import type { Run } from '../plan/run.ts';
import type { Selection } from '../plan/selection.ts';
import type { Piece } from '../written-data.ts';
import type { Transcript, TranscriptRequest } from './transcript.ts';

type Nodes = readonly [FieldNode, ...FieldNode[]];

/** What a field of the root needs to be shown by bytes. It holds no data of anybody. */
export interface ByteField {
  /** The endpoint whose body it shows. */
  readonly endpoint: Endpoint<unknown>;
  /** What its tables take of the memory. */
  readonly tableBytes: number;
  /** What is asked of the transcoder. */
  readonly requestFor: (run: Run) => TranscriptRequest;
  /** What the field's resolver is given for a body. */
  readonly bodyOf: (transcript: Transcript) => unknown;
  /** The field's part of the answer, of what its resolver returned. */
  readonly show: (result: unknown, run: Run) => readonly Piece[] | Promise<readonly Piece[]>;
}

/** What a field is compiled from. */
export interface ByteFieldSource {
  readonly schema: GraphQLSchema;
  readonly type: GraphQLObjectType;
  readonly nodes: Nodes;
  readonly selection: Selection;
  /** Whether secrets are shown to their own caller (EXPOSE_SECRETS). */
  readonly exposeSecrets: boolean;
}
