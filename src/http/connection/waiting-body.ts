import type { IncomingMessage } from 'node:http';
import { BodyChunks } from '../../body-chunks.ts';

/**
 * Keeps what comes of the body of a request that waits, until the returned function hands it to the request. Node would keep each
 * chunk apart, two hundred bytes for one, and a waiting body may come in chunks of a byte.
 */
export function keepWaitingBody(req: IncomingMessage): () => void {
  const chunks = new BodyChunks();
  let held = 0;

  function handOver(): void {
    Reflect.deleteProperty(req, 'push');
    for (const chunk of chunks.all) req.push(chunk);
  }

  // Node pushes each chunk when it has come, then null, and stops reading the connection when it hears that this is enough.
  req.push = (chunk: Buffer | null): boolean => {
    if (chunk === null) {
      handOver();
      return req.push(null);
    }
    chunks.add(chunk);
    held += chunk.length;
    return held < req.readableHighWaterMark;
  };
  return () => {
    if (Object.hasOwn(req, 'push')) handOver();
  };
}
