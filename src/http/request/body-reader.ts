import type { IncomingMessage, ServerResponse } from 'node:http';
import { bodiesUnderWay, requestBody, smallBody } from '../../bounds.ts';
import { GatewayError } from '../../errors.ts';
import { faultOfShape } from './json-shape.ts';
import { closeWhenAnswered } from './unread-body.ts';

/**
 * Reads the body of a request, which is JSON. One that grows beyond `requestBody` is given up, and resolves to what came of it, which is more
 * than that. Rejects where the client leaves, RATE_LIMITED where too much of other bodies is waited for, and QUERY_TOO_COMPLEX
 * where it holds JSON that takes too long to parse.
 */
export type ReadBody = (req: IncomingMessage, res: ServerResponse) => Promise<Buffer>;

/** A body that has begun to come. */
interface Beginning {
  readonly since: number;
  held: number;
  readonly giveUp: (error: GatewayError) => void;
}

// An honest body has come whole by then.
const patienceMs = 2_000;

/**
 * Reads bodies, of which all that have begun together hold `bodiesUnderWay` bytes at most. Beyond that the one is given up
 * that is waited for too long and holds the most, else the one that would hold more: so who sends halves and waits is in the way
 * of others who send much, and of them for a while.
 */
export function createBodyReader(): ReadBody {
  const beginnings = new Set<Beginning>();
  let total = 0;

  function relieve(current: Beginning): void {
    const before = performance.now() - patienceMs;
    let heaviest: Beginning | undefined;
    for (const beginning of beginnings)
      if (beginning.since < before && beginning.held > (heaviest?.held ?? 0)) heaviest = beginning;
    if (heaviest !== undefined) heaviest.giveUp(tooManyBodies());
    else if (current.held > smallBody) current.giveUp(tooManyBodies());
  }

  return (req, res) =>
    new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      /** False where it had ended before. */
      const end = (): boolean => {
        const isFirst = beginnings.delete(beginning);
        if (isFirst) total -= beginning.held;
        return isFirst;
      };
      const close = (): void => {
        end();
        // What still comes is dropped: unread, it would take the answer with it.
        req.off('data', take).resume();
        closeWhenAnswered(req, res);
      };
      const take = (chunk: Buffer): void => {
        chunks.push(chunk);
        beginning.held += chunk.length;
        total += chunk.length;
        if (beginning.held > requestBody) {
          close();
          resolve(Buffer.concat(chunks));
        } else if (total > bodiesUnderWay) relieve(beginning);
      };
      const beginning: Beginning = {
        since: performance.now(),
        held: 0,
        giveUp(error) {
          close();
          // Its connection lingers, and would hold them.
          chunks.length = 0;
          reject(error);
        },
      };
      beginnings.add(beginning);
      req.on('data', take);
      req.once('end', () => {
        end();
        const body = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
        const fault = faultOfShape(body);
        if (fault === null) resolve(body);
        else reject(fault);
      });
      req.once('error', reject);
      req.once('close', () => {
        // Every request is closed, and an error costs more than all else here.
        if (end()) reject(new Error('The client has left.'));
      });
    });
}

function tooManyBodies(): GatewayError {
  return new GatewayError('RATE_LIMITED', {
    message: 'Too many large requests are being sent to this gateway at a time. Try again.',
  });
}
