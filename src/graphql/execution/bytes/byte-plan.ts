import {
  getNamedType,
  isLeafType,
  isObjectType,
  resolveSchemaCoordinate,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import type { Connection } from '../../../paging/connection.ts';
import { cursorLength } from '../../../paging/cursor.ts';
import { date } from '../../../moment.ts';
import { tablesOf, type Member, type RecordShape, type RowsShape, type Shape } from '../../../transcoder/tables.ts';
import { valueAt, type AnyEntity, type Endpoint } from '../../../upstream/endpoint.ts';
import { errorMembers, listMetaOf } from '../../../upstream/response/envelope.ts';
import type { Context } from '../../context.ts';
import { membersInNodeId } from '../../nodes.ts';
import { compile, runProgram, type Outcome, type Program } from '../plan/compile.ts';
import { bytesPerField, resolvedField, type PlanRun, type ResolvedField } from '../plan/plan-run.ts';
import { Uncovered, type Nodes, type FieldsOf } from '../plan/selection.ts';
import { WrittenData } from '../written-data.ts';
import { RecordShapes, type FieldNeeds, type Noted } from './record-shape.ts';
import {
  createRowType,
  endOf,
  fill,
  GaveUp,
  startOf,
  transcribingLoaders,
  writeRows,
  type ByteRequest,
  type GiveUpReason,
  type RowType,
  type TranscribedRow,
} from './rows.ts';

/** An operation whose answer is made of the bytes of its upstream's: its fields are those of the root that bytes tell. */
interface BytePlan extends Pick<Program, 'fields' | 'weight'> {
  /** The data, or why bytes cannot tell them: then nothing has been called that the JSON plan would not call. */
  run(run: PlanRun): Promise<WrittenData | GiveUpReason>;
}

/** A field of the root: what asks for it, and what writes what came of that. */
interface Part {
  readonly weight: number;
  readonly ask: (run: PlanRun, answer: WrittenData) => unknown;
  readonly write: (result: unknown, context: Context, answer: WrittenData) => void;
}

/** A field that is written from bytes; `fill` computes what its rows leave open. `weight` is what it takes besides its tables. */
interface ByteField extends ByteRequest, Pick<Part, 'weight' | 'write'> {
  readonly fill?: (result: unknown, run: PlanRun) => Promise<void>;
}

/** Notes which fields of the root show the rows of these entities, or these records, and what computed fields need of their record. */
export function noteByteSources(
  schema: GraphQLSchema,
  entities: readonly AnyEntity[],
  records: readonly Endpoint<unknown>[],
  needs: Readonly<Record<string, FieldNeeds>>,
): void {
  const note = (coordinate: string, noted: Noted): void => {
    const found = resolveSchemaCoordinate(schema, coordinate);
    if (found?.kind === 'Field') Object.assign(found.field.extensions, noted);
  };
  for (const entity of entities) {
    const { type, list } = entity;
    note(`${type}.nodeId`, { needs: { members: membersInNodeId(entity) } });
    // All documents have rows of one type: V8 reads those of many slowly.
    note(list.coordinate, { source: { endpoint: list, rows: createRowType([list.idName, list.timeName]) } });
  }
  for (const [coordinate, ofField] of Object.entries(needs)) note(coordinate, { needs: ofField });
  for (const endpoint of records) note(endpoint.coordinate, { source: { endpoint, rows: null } });
}

/** Compiles the fields of the root. Throws `Uncovered` where bytes cannot tell enough of what they ask for. */
export function compileBytes(
  schema: GraphQLSchema,
  root: GraphQLObjectType,
  operation: OperationDefinitionNode,
  fieldsOf: FieldsOf,
  exposeSecrets: boolean,
): BytePlan {
  const fields: ResolvedField[] = [];
  const createShapes = (): RecordShapes => new RecordShapes(schema, fieldsOf, exposeSecrets);
  const { parts, tail } = createShapes().object<Part>(root, [operation], (name, nodes, key) => {
    const field = byteField(name, root, nodes, createShapes());
    if (field === null) return planPart(compile(schema, root, [[key, nodes]], fieldsOf));
    return bytePart(field, fields.push(resolvedField(root, nodes)) - 1, fields);
  });
  // Where a plan tells all of them, it need not be put together.
  if (fields.length === 0 && parts.length > 0) throw new Uncovered();
  return {
    fields,
    weight: parts.reduce((sum, { weight }) => sum + weight, fields.length * bytesPerField),
    async run(run) {
      const answer = new WrittenData();
      try {
        // All are asked for before any of them is awaited; one alone needs no other promise.
        const asked = parts.map(({ ask }) => ask(run, answer));
        const results = asked.length === 1 ? [await asked[0]] : await Promise.all(asked);
        for (const [index, { before, write }] of parts.entries()) {
          answer.add(before);
          write(results[index], run.context, answer);
        }
        answer.add(tail);
      } catch (error) {
        // Whatever it is, the JSON plan finds it too, and reports it as it should be.
        return error instanceof GaveUp ? error.reason : 'response';
      }
      return answer;
    },
  };
}

/** Null for a record that bytes do not tell: its plan calls nothing else. Throws `Uncovered` for anything else. */
function byteField(name: string, root: GraphQLObjectType, nodes: Nodes, shapes: RecordShapes): ByteField | null {
  const field = root.getFields()[name];
  const type = field && getNamedType(field.type);
  const source = (field?.extensions as Noted | undefined)?.source;
  if (source === undefined || !isObjectType(type)) throw new Uncovered();
  if (source.rows !== null) return listField(source.endpoint, source.rows, type, nodes, shapes);
  try {
    return recordField(source.endpoint, shapes.closedRecord(type, nodes));
  } catch (error) {
    if (error instanceof Uncovered) return null;
    throw error;
  }
}

/** What stands before a record when it is written: dates in quotation marks, of which each has so many bytes. */
const dateLength = '"2026-10-01"'.length;

/** The members that repeat arguments are written before what is shown, and are compared there. */
function recordField(endpoint: Endpoint<unknown>, shown: RecordShape): ByteField {
  const { repeated = [] } = endpoint;
  const shape: Shape = { kind: 'form', form: date };
  const before = repeated.map(({ name }): Member => ({ name, before: '', shape, isRequired: true }));
  return {
    endpoint,
    weight: 0,
    table: tablesOf(bodyOf({ ...shown, members: [...before, ...shown.members] }, [])),
    bodyOf({ written }, args) {
      for (const [index, { argument }] of repeated.entries()) {
        const asked = valueAt(args, argument);
        const told = written.toString('latin1', index * dateLength + 1, (index + 1) * dateLength - 1);
        if (asked != null && told !== asked) throw new GaveUp('rows');
      }
      return written.subarray(repeated.length * dateLength);
    },
    write: (record, _context, answer) => answer.add(record as Buffer),
  };
}

function listField(
  endpoint: Endpoint<unknown>,
  { names, make }: RowType,
  type: GraphQLObjectType,
  nodes: Nodes,
  shapes: RecordShapes,
): ByteField {
  const compiler = new ConnectionCompiler(shapes, names);
  const write = compiler.object(type, nodes);
  const { puts, fields, weight } = shapes.compileOpen();
  return {
    endpoint,
    weight,
    table: tablesOf(bodyOf({ kind: 'rows', ...compiler.rows }, ['meta'])),
    bodyOf(transcript) {
      const { ends, member } = transcript;
      const rows: TranscribedRow[] = [];
      for (let index = 0; index < ends.length; index++) rows.push(make(transcript, index));
      return { rows, meta: listMetaOf(member) };
    },
    ...(puts.length > 0 && {
      fill: (connection, run) => fill((connection as Connection<TranscribedRow>).rows, puts, run.of(fields)),
    }),
    write: (connection, context, answer) => write(connection as Connection<TranscribedRow>, context, answer),
  };
}

/** A body of the API, of which its data are written. */
function bodyOf(data: Shape, handedOut: readonly string[]): RecordShape {
  const member = { name: 'data', before: '', shape: data, isRequired: true };
  return { kind: 'record', members: [member], tail: '', handedOut, empty: errorMembers };
}

function bytePart(field: ByteField, index: number, fields: readonly ResolvedField[]): Part {
  return {
    weight: field.weight + field.table.length,
    async ask(run, answer) {
      const { context } = run;
      const loaders = transcribingLoaders(context.loaders, field, answer);
      const { definition } = fields[index] as ResolvedField;
      const info = run.info(index) as GraphQLResolveInfo;
      const result: unknown = await definition.resolve?.(undefined, run.args(index), { ...context, loaders }, info);
      if (result != null) await field.fill?.(result, run);
      return result;
    },
    write(result, context, answer) {
      if (result == null) throw new GaveUp('response');
      field.write(result, context, answer);
    },
  };
}

function planPart(program: Program): Part {
  return {
    weight: program.weight,
    ask: (run) => runProgram(program, run.of(program.fields)),
    write(outcome, _context, answer) {
      const result = outcome as Outcome;
      if (result === null || result.errors !== undefined) throw new GaveUp('response');
      answer.add(Buffer.from(JSON.stringify(Object.values(result.data ?? {})[0])));
    },
  };
}

/** What the transcoder writes where a cursor will be. */
const room = JSON.stringify('-'.repeat(cursorLength));
const roomForm = new RegExp(room, 'g');

/** How rows are shown: as nodes, or as edges. */
type RowForm = Omit<RowsShape, 'kind'>;

/** Writes a part of a page of rows that the transcoder has written. */
type Write = (connection: Connection<TranscribedRow>, context: Context, answer: WrittenData) => void;

/** Compiles what is asked of a connection. Throws `Uncovered` where its rows are asked for twice: as nodes and as edges. */
class ConnectionCompiler {
  readonly #shapes: RecordShapes;
  readonly #handedOut: readonly string[];
  #rows: RowForm | null = null;

  constructor(shapes: RecordShapes, handedOut: readonly string[]) {
    this.#shapes = shapes;
    this.#handedOut = handedOut;
  }

  /** What the transcoder writes of the rows. */
  get rows(): RowForm {
    return this.#rows ?? { row: this.#empty, before: '', behind: '' };
  }

  get #empty(): RecordShape {
    return { kind: 'record', members: [], tail: '', handedOut: this.#handedOut };
  }

  object(type: GraphQLObjectType, nodes: Nodes): Write {
    const { parts, tail } = this.#shapes.object(type, nodes, (name, own) => ({ write: this.#field(type, name, own) }));
    return (connection, context, answer) => {
      for (const { before, write } of parts) {
        answer.add(before);
        write(connection, context, answer);
      }
      answer.add(tail);
    };
  }

  #field(type: GraphQLObjectType, name: string, nodes: Nodes): Write {
    const field = type.getFields()[name];
    const returned = field && getNamedType(field.type);
    if (field?.resolve === undefined || field.args.length > 0) throw new Uncovered();
    if (isLeafType(returned)) return leafOf(field.resolve);
    if (name === 'nodes') return this.#show({ row: this.#record(returned, nodes), before: '', behind: '' });
    if (name === 'pageInfo' && isObjectType(returned)) return this.object(returned, nodes);
    if (name === 'edges' && isObjectType(returned)) return this.#edges(returned, nodes);
    throw new Uncovered();
  }

  #record(type: GraphQLNamedType | undefined, nodes: Nodes): RecordShape {
    if (!isObjectType(type)) throw new Uncovered();
    return this.#shapes.record(type, nodes, this.#handedOut);
  }

  #show(form: RowForm): Write {
    if (this.#rows !== null) throw new Uncovered();
    this.#rows = form;
    return ({ rows }, _context, answer) => writeRows(rows, answer);
  }

  /** The transcoder writes the edges with room for their cursors, each at so many bytes from the edge's start or, below 0, its end. */
  #edges(type: GraphQLObjectType, nodes: Nodes): Write {
    const { parts, tail } = this.#shapes.object(type, nodes, (name, own) => {
      if (name !== 'cursor' && name !== 'node') throw new Uncovered();
      return { own, isCursor: name === 'cursor' };
    });
    const [node, other] = parts.filter(({ isCursor }) => !isCursor);
    if (other !== undefined) throw new Uncovered();
    const textOf = (some: typeof parts): string =>
      some.map((part) => (part.isCursor ? part.before + room : part.before)).join('');
    const split = node === undefined ? 0 : parts.indexOf(node) + 1;
    const [before, behind] = [textOf(parts.slice(0, split)), textOf(parts.slice(split)) + tail];
    const placesIn = (text: string, from: number): number[] =>
      [...text.matchAll(roomForm)].map(({ index }) => from + index + 1);
    const places = [...placesIn(before, 0), ...placesIn(behind, -behind.length)];
    const shape = node && this.#record(getNamedType(type.getFields()['node']?.type), node.own);
    const write = this.#show({ row: shape ?? this.#empty, before, behind });
    return (connection, context, answer) => {
      const { rows, cursors } = connection;
      for (const [index, row] of rows.entries()) {
        const { written } = row.transcript;
        const [start, end] = [startOf(row), endOf(row)];
        for (const place of places) cursors.write(index, written, place + (place < 0 ? end : start));
      }
      write(connection, context, answer);
    };
  }
}

/** Writes what a resolver returns for a connection, a number or a text. */
function leafOf(resolve: NonNullable<GraphQLField<unknown, unknown>['resolve']>): Write {
  return (connection, context, answer) => {
    // They read nothing of their `info`.
    const value: unknown = resolve(connection, {}, context, {} as GraphQLResolveInfo);
    if (value === undefined || (typeof value === 'object' && value !== null)) throw new GaveUp('rows');
    answer.add(JSON.stringify(value));
  };
}
