import {
  getNamedType,
  isObjectType,
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
} from 'graphql';
import { answerText } from '../../../bounds.ts';
import { objectOf, tablesOf, type RecordShape, type Shape } from '../../../transcoder/tables.ts';
import type { Transcript } from '../../../transcoder/transcoder.ts';
import type { AnyEntity, Endpoint } from '../../../upstream/endpoint.ts';
import { listMetaOf } from '../../../upstream/response/body-reader.ts';
import { AnswerBuffers } from '../answer-buffers.ts';
import { compile, runProgram, type Outcome, type Program } from '../plan/compile.ts';
import { resolvedField, weightOfFields, type ResolvedField } from '../plan/resolved-field.ts';
import { Run } from '../plan/run.ts';
import { Uncovered, type Fields, type Selection } from '../plan/selection.ts';
import { WrittenData } from '../written-data.ts';
import { compileConnection, type TranscribedConnection } from './connection.ts';
import { RecordShapes, type Noted, type Source } from './record-shape.ts';
import {
  createRowType,
  GaveUp,
  PieceWriter,
  type MakeRow,
  TranscribingLoaders,
  type ByteRequest,
  type GiveUpReason,
  type TranscribedRow,
} from './rows.ts';

type Nodes = readonly [FieldNode, ...FieldNode[]];

/** Makes something of the data of an answer, or of the reason why bytes cannot tell it. */
export type UseWritten<Result> = (written: WrittenData | GiveUpReason) => Result | Promise<Result>;

/** An operation whose answer is made of the bytes of its upstream's. It holds no data of anybody. */
export interface BytePlan {
  /** The fields of the root whose resolvers are called with what bytes tell. */
  readonly fields: readonly ResolvedField[];
  /** What it takes of the memory, in bytes, roughly. */
  readonly weight: number;
  /** What is made of the answer. Where bytes cannot tell it, nothing has been called that the JSON plan would not call. */
  run<Result>(run: Run, use: UseWritten<Result>): Promise<Result>;
}

/** A field of the root: what asks for it, and what writes what came of that. */
interface Part {
  readonly weight: number;
  readonly ask: (run: Run, buffers: AnswerBuffers) => unknown;
  readonly write: (result: unknown, run: Run, answer: PieceWriter) => void;
}

type ByteField = ByteRequest & Pick<Part, 'write'>;

/** Notes which fields of the root show the rows of these entities, or these records, and what a `nodeId` is of. */
export function noteByteSources(
  schema: GraphQLSchema,
  entities: readonly AnyEntity[],
  records: readonly Endpoint<unknown>[],
): void {
  const note = (source: Source): void => {
    const field = schema.getQueryType()?.getFields()[source.endpoint.coordinate.slice('Query.'.length)];
    if (field !== undefined) (field.extensions as Noted).source = source;
  };
  for (const entity of entities) {
    const { type, list } = entity;
    const object = schema.getType(type);
    const nodeId = isObjectType(object) ? object.getFields()['nodeId'] : undefined;
    if (nodeId !== undefined) (nodeId.extensions as Noted).entity = entity;
    const names = [list.idName, list.timeName];
    // All documents have rows of one type: V8 reads those of many slowly.
    note({ endpoint: list, names, makeRow: createRowType(names) });
  }
  for (const endpoint of records) note({ endpoint, makeRow: null });
}

/** Compiles the fields of the root. Throws `Uncovered` where bytes cannot tell enough of what they ask for. */
export function compileBytes(
  schema: GraphQLSchema,
  root: GraphQLObjectType,
  rootFields: Fields,
  selection: Selection,
  exposeSecrets: boolean,
): BytePlan {
  const fields: ResolvedField[] = [];
  const shapes = new RecordShapes(schema, selection, exposeSecrets);
  const { parts, tail } = objectOf<Part>(
    [...rootFields].map(([key, nodes]) => {
      const name = nodes[0].name.value;
      if (name === '__typename') return [key, { text: JSON.stringify(root.name) }] as const;
      const field = byteField(name, root, nodes, shapes);
      if (field === null) return [key, planPart(compile(schema, root, [[key, nodes]], selection))] as const;
      return [key, bytePart(field, fields.push(resolvedField(root, nodes)) - 1, fields)] as const;
    }),
  );
  // Where a plan tells all of them, it need not be put together.
  if (fields.length === 0 && parts.length > 0) throw new Uncovered();
  return {
    fields,
    weight: parts.reduce((sum, { weight }) => sum + weight, weightOfFields(fields)),
    async run(run, use) {
      const buffers = new AnswerBuffers();
      const answer = new PieceWriter();
      try {
        // All are asked for before any of them is awaited; one alone needs no other promise.
        const asked = parts.map(({ ask }) => ask(run, buffers));
        const results = asked.length === 1 ? [await asked[0]] : await Promise.all(asked);
        for (const [index, { before, write }] of parts.entries()) {
          answer.add(before);
          write(results[index], run, answer);
        }
        answer.add(tail);
      } catch (error) {
        // Whatever it is, the JSON plan finds it too, and reports it as it should be.
        return use(error instanceof GaveUp ? error.reason : 'response');
      }
      // The data may wait for a slow reader: they hold nothing else of this answer.
      return use(new WrittenData(answer.end(), () => buffers.giveBack()));
    },
  };
}

/** Null for a record that bytes do not tell: its plan calls nothing else. Throws `Uncovered` for anything else. */
function byteField(name: string, root: GraphQLObjectType, nodes: Nodes, shapes: RecordShapes): ByteField | null {
  const field = root.getFields()[name];
  const type = field && getNamedType(field.type);
  const source = (field?.extensions as Noted | undefined)?.source;
  if (source === undefined || !isObjectType(type)) throw new Uncovered();
  if (source.makeRow !== null) return listField(source, type, nodes, shapes);
  try {
    const tables = tablesOf(bodyOf(shapes.record(type, nodes), []));
    const write: Part['write'] = (transcript, _run, answer) => answer.add((transcript as Transcript).written);
    return { endpoint: source.endpoint, tables, bodyOf: (transcript) => transcript, write };
  } catch (error) {
    if (error instanceof Uncovered) return null;
    throw error;
  }
}

function listField(
  { endpoint, names, makeRow }: Extract<Source, { readonly makeRow: MakeRow }>,
  type: GraphQLObjectType,
  nodes: Nodes,
  shapes: RecordShapes,
): ByteField {
  const { rows: shape, write } = compileConnection(type, nodes, shapes, names);
  return {
    endpoint,
    tables: tablesOf(bodyOf({ kind: 'rows', ...shape }, ['meta'])),
    bodyOf(transcript) {
      const rows: TranscribedRow[] = [];
      for (let index = 0; index < transcript.ends.length; index++) rows.push(makeRow(transcript, index));
      return { rows, meta: listMetaOf(transcript.member) };
    },
    write: (connection, { context }, answer) => write(connection as TranscribedConnection, context, answer),
  };
}

/** A body of the API, of which its data are written. */
function bodyOf(data: Shape, handedOut: readonly string[]): RecordShape {
  const member = { name: 'data', before: '', shape: data, isRequired: true };
  return { kind: 'record', members: [member], tail: '', handedOut };
}

function bytePart(field: ByteField, index: number, fields: readonly ResolvedField[]): Part {
  return {
    weight: field.tables.length,
    async ask(run, buffers) {
      const { context } = run;
      const loaders = new TranscribingLoaders(context.loaders, field, buffers);
      const { definition } = fields[index] as ResolvedField;
      const info = run.info(index) as GraphQLResolveInfo;
      return definition.resolve?.(undefined, run.args(index), { ...context, loaders }, info);
    },
    write(result, run, answer) {
      if (result == null) throw new GaveUp('response');
      field.write(result, run, answer);
    },
  };
}

function planPart(program: Program): Part {
  return {
    weight: program.weight,
    ask: async (run) => runProgram(program, run.of(program.fields)),
    write(outcome, _run, answer) {
      const { result } = outcome as Outcome;
      if (result === null || result.errors !== undefined) throw new GaveUp('response');
      const bytes = Buffer.from(JSON.stringify(Object.values(result.data ?? {})[0]));
      answer.add(bytes.length <= answerText ? bytes.toString('latin1') : bytes);
    },
  };
}
