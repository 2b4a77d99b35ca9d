import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';

/** Reads a body whole; its length has been checked by its header, which Node holds it to. Rejects where the client leaves. */
export function readBody(req: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.once('end', () => resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)));
    req.once('error', reject);
    req.once('close', () => reject(new Error('The client has left.')));
  });
}

/** The request with a body that has been read already, as Yoga takes it. */
export function handOn(req: IncomingMessage, body: Buffer): IncomingMessage {
  return Object.assign(req, { body: Readable.from([body]) });
}
