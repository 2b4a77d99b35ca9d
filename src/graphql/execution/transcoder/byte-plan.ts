import type { GraphQLObjectType, GraphQLResolveInfo, GraphQLSchema, SelectionSetNode } from 'graphql';
import type { Program } from '../plan/compile.ts';
import type { Run } from '../plan/run.ts';
import type { Selection } from '../plan/selection.ts';
import { AnswerBuffers } from '../answer-buffers.ts';
import { WrittenData, type Piece } from '../written-data.ts';
import type { ByteField } from './byte-field.ts';
import { compileByteField } from './root-fields.ts';
import { transcribingLoaders } from './transcribing-loaders.ts';
import { GaveUp, type GiveUpReason } from './transcript.ts';

/** An operation whose answer is made of the bytes of its upstream's. It holds no data of anybody. */
export interface BytePlan {
  /** A reason where bytes cannot tell the answer: nothing has been called that the JSON plan would not call. */
  run(run: Run): Promise<WrittenData | GiveUpReason>;
}

interface Root {
  /** What stands before it in the answer. */
  readonly before: string;
  /** A text, or a field and its index in the program. */
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
  { roots, fields }: Program,
  exposeSecrets: boolean,
): BytePlan {
  const nodes = selection.fieldsOf(root, [rootSet]);
  const planned = roots.map(({ key, index }, at): Root => {
    const before = `${at === 0 ? '' : ','}${JSON.stringify(key)}:`;
    const fieldNodes = nodes.get(key);
    if (index === null || fieldNodes === undefined) return { before, field: JSON.stringify(root.name) };
    const field = compileByteField(fieldNodes[0].name.value, { schema, nodes: fieldNodes, selection, exposeSecrets });
    return { before, field: { field, index } };
  });

  function resolve({ field, index }: ShownField, run: Run, buffers: AnswerBuffers): unknown {
    const context = { ...run.context, loaders: transcribingLoaders(run.context.loaders, field, run, buffers) };
    const { definition } = fields[index] as Program['fields'][number];
    return definition.resolve?.(undefined, run.args(index), context, run.info(index) as GraphQLResolveInfo);
  }

  return {
    async run(run) {
      const buffers = new AnswerBuffers();
      try {
        // All fields are resolved before the first is awaited; their promises are handled (handled-promises.ts).
        const results = planned.map(({ field }) => (typeof field === 'string' ? null : resolve(field, run, buffers)));
        const pieces: Piece[] = ['{'];
        let at = 0;
        for (const { before, field } of planned) {
          pieces.push(before);
          const result = results[at++];
          if (typeof field === 'string') pieces.push(field);
          else {
            const shown = show(field, await result, run);
            for (const piece of shown instanceof Promise ? await shown : shown) pieces.push(piece);
          }
        }
        pieces.push('}');
        return new WrittenData(pieces, () => buffers.giveBack());
      } catch (error) {
        // Whatever it is, the JSON plan finds it too, and reports it as it should be.
        return error instanceof GaveUp ? error.reason : 'response';
      }
    },
  };
}

function show({ field }: ShownField, result: unknown, run: Run): ReturnType<ByteField['show']> {
  if (result == null) throw new TypeError('There is nothing to be shown.');
  return field.show(result, run);
}
