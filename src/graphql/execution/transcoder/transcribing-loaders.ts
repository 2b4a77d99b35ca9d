import { bodyInTurn, sliceMs } from '../../../bounds.ts';
import type { Loaders } from '../../../lists/loaders.ts';
import type { AnswerBuffers } from '../answer-buffers.ts';
import type { Run } from '../plan/run.ts';
import type { ByteField } from './byte-field.ts';
import { firstRowOf } from './first-row.ts';
import { GaveUp, transcribe } from './transcript.ts';
import { Turns } from './turns.ts';

// Those of all requests.
const turns = new Turns(sliceMs);

/** Loaders that hand a field what the transcoder makes of its endpoint's bodies. They throw `GaveUp` for whatever it cannot tell. */
export function transcribingLoaders(loaders: Loaders, field: ByteField, run: Run, buffers: AnswerBuffers): Loaders {
  const request = field.requestFor(run);
  const load = async (...[endpoint, args, page, how]: Parameters<Loaders['load']>): Promise<never> => {
    if (endpoint !== field.endpoint || how?.fresh === true) throw new GaveUp('rows');
    const fetched = await loaders.loadBytes(endpoint, args, page, how);
    const bytes = fetched?.bytes;
    if (bytes == null) throw new GaveUp('response');
    // A filter that the upstream ignores shows in the rows. As a rule the first one shows that it was not ignored.
    const check = endpoint.violationCheckFor?.(args) ?? null;
    if (check !== null && !check.isClearedBy(firstRowOf(bytes))) throw new GaveUp('rows');
    const show = (): unknown => field.bodyOf(transcribe(bytes, request, buffers));
    return (bytes.length < bodyInTurn ? show() : await turns.take(show)) as never;
  };
  // The plan meets what contradicts itself as well, and counts it.
  const noteViolation = (): never => {
    throw new GaveUp('rows');
  };
  return { ...loaders, load, noteViolation } as Loaders;
}
