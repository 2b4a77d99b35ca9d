import type { IncomingMessage, ServerResponse } from 'node:http';
import { bodiesUnderWay, requestBody, smallBody } from '../../bounds.ts';
import { GatewayError } from '../../errors.ts';
import { faultOfShape } from './json-shape.ts';
import { closeWhenResponded } from './unread-body.ts';

/**
 * Reads the JSON body of a request. A body that grows beyond `requestBody` is given up, and resolves to what has come: more than
 * `requestBody` bytes. Rejects where the client leaves, with RATE_LIMITED where unfinished bodies hold too much memory, and with
 * QUERY_TOO_COMPLEX where the JSON would take too long to parse.
 */
export type ReadBody = (req: IncomingMessage, res: ServerResponse) => Promise<Buffer>;

/** A body that has begun to come and has not ended. */
interface UnfinishedBody {
  /** When it began, by performance.now() in milliseconds. */
  readonly since: number;
  /** Bytes that have come. */
  held: number;
  readonly giveUp: (error: GatewayError) => void;
}

// An honest body has ended by then.
const longestWaitMs = 2_000;

/**
 * Creates the reader of all bodies. Unfinished bodies hold `bodiesUnderWay` bytes together at most. Beyond that, the largest
 * body that has taken longer than two seconds is given up. Where there is none, the body that has just grown is given up,
 * unless it is small. So clients that send half a body and wait can block large bodies alone, and only for two seconds.
 */
export function createBodyReader(): ReadBody {
  const unfinished = new Set<UnfinishedBody>();
  let total = 0;

  function makeRoom(current: UnfinishedBody): void {
    const before = performance.now() - longestWaitMs;
    let largest: UnfinishedBody | undefined;
    for (const body of unfinished) if (body.since < before && body.held > (largest?.held ?? 0)) largest = body;
    if (largest !== undefined) largest.giveUp(tooManyBodies());
    else if (current.held > smallBody) current.giveUp(tooManyBodies());
  }

  return (req, res) =>
    new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      /** False where the body had ended before. */
      const end = (): boolean => {
        const isFirst = unfinished.delete(unfinishedBody);
        if (isFirst) total -= unfinishedBody.held;
        return isFirst;
      };
      const close = (): void => {
        end();
        // The rest is read and dropped: unread data would reset the connection before the response is read.
        req.off('data', take).resume();
        closeWhenResponded(req, res);
      };
      const take = (chunk: Buffer): void => {
        chunks.push(chunk);
        unfinishedBody.held += chunk.length;
        total += chunk.length;
        if (unfinishedBody.held > requestBody) {
          close();
          resolve(Buffer.concat(chunks));
        } else if (total > bodiesUnderWay) makeRoom(unfinishedBody);
      };
      const unfinishedBody: UnfinishedBody = {
        since: performance.now(),
        held: 0,
        giveUp(error) {
          close();
          // The connection lingers, and would keep the chunks in memory.
          chunks.length = 0;
          reject(error);
        },
      };
      unfinished.add(unfinishedBody);
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
        // Every request is closed, and creating an error costs more than everything else here.
        if (end()) reject(new Error('The client has left.'));
      });
    });
}

function tooManyBodies(): GatewayError {
  return new GatewayError('RATE_LIMITED', {
    message: 'This gateway is receiving too many large requests at a time. Try again.',
  });
}
