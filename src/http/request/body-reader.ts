import type { IncomingMessage, ServerResponse } from 'node:http';
import { requestBody } from '../../bounds.ts';
import { faultOfShape } from './json-shape.ts';
import { UnfinishedBodies } from './unfinished-bodies.ts';
import { closeWhenResponded } from './unread-body.ts';

/**
 * Reads the JSON body of a request. A body that grows beyond `requestBody` is given up, and resolves to what has come: more than
 * `requestBody` bytes. Rejects where the client leaves, with RATE_LIMITED where unfinished bodies hold too much memory, and with
 * QUERY_TOO_COMPLEX where the JSON would take too long to parse.
 */
export type ReadBody = (req: IncomingMessage, res: ServerResponse) => Promise<Buffer>;

/** Creates the reader of all bodies, which share one bound on their memory. */
export function createBodyReader(): ReadBody {
  const bodies = new UnfinishedBodies();
  return (req, res) =>
    new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      const body = bodies.begin((error) => {
        close();
        // The connection lingers, and would keep the chunks in memory.
        chunks.length = 0;
        reject(error);
      });
      const close = (): void => {
        bodies.end(body);
        // The rest is read and dropped: unread data would reset the connection before the response is read.
        req.off('data', take).resume();
        closeWhenResponded(req, res);
      };
      const take = (chunk: Buffer): void => {
        chunks.push(chunk);
        bodies.grow(body, chunk.length);
        if (body.held <= requestBody) return bodies.makeRoom(body);
        close();
        resolve(Buffer.concat(chunks));
      };
      // Each of these events comes once at most, and `once` would cost more than its listener.
      req.on('data', take);
      req.on('end', () => {
        bodies.end(body);
        const whole = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
        const fault = faultOfShape(whole);
        if (fault === null) resolve(whole);
        else reject(fault);
      });
      req.on('error', reject);
      req.on('close', () => {
        // Every request is closed, and creating an error costs more than everything else here.
        if (bodies.end(body)) reject(new Error('The client has left.'));
      });
    });
}
