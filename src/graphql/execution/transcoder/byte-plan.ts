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
  readonly key: string;
  /** A text, or a field and its index in the program. */
  readonly field: string | { readonly field: ByteField; readonly index: number };
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
  const planned = roots.map(({ key, index }): Root => {
    const fieldNodes = nodes.get(key);
    if (index === null || fieldNodes === undefined) return { key, field: JSON.stringify(root.name) };
    const field = compileByteField(fieldNodes[0].name.value, { schema, nodes: fieldNodes, selection, exposeSecrets });
    return { key, field: { field, index } };
  });

  async function show({ field: shown }: Root, run: Run, buffers: AnswerBuffers): Promise<readonly Piece[]> {
    if (typeof shown === 'string') return [shown];
    const { field, index } = shown;
    const context = { ...run.context, loaders: transcribingLoaders(run.context.loaders, field, run, buffers) };
    const { definition } = fields[index] as Program['fields'][number];
    const info = run.info(index) as GraphQLResolveInfo;
    const result = await definition.resolve?.(undefined, run.args(index), context, info);
    if (result == null) throw new TypeError('There is nothing to be shown.');
    return field.show(result, run);
  }

  return {
    async run(run) {
      const buffers = new AnswerBuffers();
      try {
        const [only] = planned;
        const isSingle = planned.length === 1 && only !== undefined;
        const ofRoots = isSingle
          ? [await show(only, run, buffers)]
          : await Promise.all(planned.map((each) => show(each, run, buffers)));
        const pieces = ofRoots.flatMap((ofRoot, at) => [
          `${at === 0 ? '' : ','}${JSON.stringify(planned[at]?.key)}:`,
          ...ofRoot,
        ]);
        return new WrittenData(['{', ...pieces, '}'], () => buffers.giveBack());
      } catch (error) {
        // Whatever it is, the JSON plan finds it too, and reports it as it should be.
        return error instanceof GaveUp ? error.reason : 'response';
      }
    },
  };
}
