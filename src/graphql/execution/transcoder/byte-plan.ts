import type { GraphQLObjectType, GraphQLResolveInfo, GraphQLSchema, SelectionSetNode } from 'graphql';
import { resolvedField, weightOfFields, type ResolvedField } from '../plan/resolved-field.ts';
import type { Run } from '../plan/run.ts';
import type { Selection } from '../plan/selection.ts';
import { AnswerBuffers } from '../answer-buffers.ts';
import { WrittenData, type Piece } from '../written-data.ts';
import type { ByteField } from './byte-field.ts';
import { compileByteField } from './root-fields.ts';
import { TranscribingLoaders } from './transcribing-loaders.ts';
import { GaveUp, type GiveUpReason } from './transcript.ts';

/** Makes something of the data of an answer, or of the reason why bytes cannot tell it. */
export type UseWritten<Result> = (written: WrittenData | GiveUpReason) => Result | Promise<Result>;

/** An operation whose answer is made of the bytes of its upstream's. It holds no data of anybody. */
export interface BytePlan {
  /** The fields of the root, whose resolvers are called. */
  readonly fields: readonly ResolvedField[];
  /** What it takes of the memory, in bytes, roughly. */
  readonly weight: number;
  /** What is made of the answer. Where bytes cannot tell it, nothing has been called that the JSON plan would not call. */
  run<Result>(run: Run, use: UseWritten<Result>): Promise<Result>;
}

interface Root {
  /** What stands before it in the answer. */
  readonly before: string;
  /** A text, or a field and its index among those of the plan. */
  readonly field: string | ShownField;
}

interface ShownField {
  readonly field: ByteField;
  readonly index: number;
}

/** Compiles the fields of the root. Throws `Uncovered` where bytes cannot tell all that they ask for. */
export function compileBytes(
  schema: GraphQLSchema,
  root: GraphQLObjectType,
  rootSet: SelectionSetNode,
  selection: Selection,
  exposeSecrets: boolean,
): BytePlan {
  const fields: ResolvedField[] = [];
  const roots: Root[] = [];
  let tableBytes = 0;
  for (const [key, nodes] of selection.fieldsOf(root, [rootSet])) {
    const before = `${roots.length === 0 ? '' : ','}${JSON.stringify(key)}:`;
    const name = nodes[0].name.value;
    if (name === '__typename') {
      roots.push({ before, field: JSON.stringify(root.name) });
      continue;
    }
    const field = compileByteField(name, { schema, nodes, selection, exposeSecrets });
    tableBytes += field.tableBytes;
    roots.push({ before, field: { field, index: fields.push(resolvedField(root, nodes)) - 1 } });
  }

  return {
    fields,
    weight: weightOfFields(fields) + tableBytes,
    run: (run, use) =>
      new Promise((resolve, reject) => {
        const answer = new ByteAnswer(roots, fields, run, (written) => {
          try {
            resolve(use(written));
          } catch (error) {
            reject(error);
          }
        });
        answer.begin();
      }),
  };
}

/** One answer on its way. */
class ByteAnswer {
  readonly #roots: readonly Root[];
  readonly #fields: readonly ResolvedField[];
  readonly #run: Run;
  readonly #end: (written: WrittenData | GiveUpReason) => void;
  readonly #buffers = new AnswerBuffers();
  /** What has come of each root. */
  readonly #shown: (readonly Piece[])[] = [];
  /** The roots that are to come; until all fields are resolved, one more. */
  #missing: number;
  #hasGivenUp = false;

  constructor(
    roots: readonly Root[],
    fields: readonly ResolvedField[],
    run: Run,
    end: (written: WrittenData | GiveUpReason) => void,
  ) {
    this.#roots = roots;
    this.#fields = fields;
    this.#run = run;
    this.#end = end;
    this.#missing = roots.length + 1;
  }

  /** Resolves all fields, without waiting for any of them. */
  begin(): void {
    try {
      for (let at = 0; at < this.#roots.length; at++) {
        const { field } = this.#roots[at] as Root;
        if (typeof field === 'string') this.#take(at, [field]);
        else this.#await(at, field, this.#resolve(field));
      }
      this.#arrived();
    } catch (error) {
      this.#giveUp(error);
    }
  }

  #resolve({ field, index }: ShownField): unknown {
    const { context } = this.#run;
    const loaders = new TranscribingLoaders(context.loaders, field, this.#run, this.#buffers);
    const { definition } = this.#fields[index] as ResolvedField;
    const info = this.#run.info(index) as GraphQLResolveInfo;
    return definition.resolve?.(undefined, this.#run.args(index), { ...context, loaders }, info);
  }

  #await(at: number, field: ShownField, result: unknown): void {
    if (!(result instanceof Promise)) return this.#show(at, field, result);
    return void result.then(
      (value) => this.#show(at, field, value),
      (error: unknown) => this.#giveUp(error),
    );
  }

  #show(at: number, { field }: ShownField, result: unknown): void {
    try {
      if (result == null) throw new TypeError('There is nothing to be shown.');
      const shown = field.show(result, this.#run);
      if (!(shown instanceof Promise)) return this.#take(at, shown);
      return void shown.then(
        (pieces) => this.#take(at, pieces),
        (error: unknown) => this.#giveUp(error),
      );
    } catch (error) {
      return this.#giveUp(error);
    }
  }

  #take(at: number, shown: readonly Piece[]): void {
    if (this.#hasGivenUp) return;
    this.#shown[at] = shown;
    this.#arrived();
  }

  #arrived(): void {
    this.#missing--;
    if (this.#missing > 0) return;
    const pieces: Piece[] = ['{'];
    for (let index = 0; index < this.#roots.length; index++) {
      pieces.push((this.#roots[index] as Root).before);
      for (const piece of this.#shown[index] ?? []) pieces.push(piece);
    }
    pieces.push('}');
    // The data may wait for a slow reader: they hold nothing else of this answer.
    const buffers = this.#buffers;
    this.#end(new WrittenData(pieces, () => buffers.giveBack()));
  }

  /** Whatever it is, the JSON plan finds it too, and reports it as it should be. */
  #giveUp(error: unknown): void {
    if (this.#hasGivenUp) return;
    this.#hasGivenUp = true;
    this.#end(error instanceof GaveUp ? error.reason : 'response');
  }
}
