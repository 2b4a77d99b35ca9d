import type { IncomingMessage, ServerResponse } from 'node:http';

/** Which media type a plain result has, by the Accept header of its request. */
export interface MediaTypes {
  /** Null where it is not known yet, or none that the direct route writes. */
  of(req: IncomingMessage): string | null;
  /** Learns it from an answer of Yoga's, whose choice it is. */
  learn(req: IncomingMessage, res: ServerResponse): void;
}

const written: ReadonlySet<string> = new Set(['application/json', 'application/graphql-response+json']);
// Clients have few; nobody fills the memory with many, or with long ones.
const mostHeaders = 100;
const longestHeader = 200;

/** Knows nothing at first; what was asked for last is remembered, a hundred headers of it. */
export function createMediaTypes(): MediaTypes {
  const byAccept = new Map<string, string>();
  const acceptOf = ({ headers }: IncomingMessage): string => headers.accept ?? '*/*';
  return {
    of(req) {
      const accept = acceptOf(req);
      const mediaType = byAccept.get(accept);
      if (mediaType === undefined) return null;
      // A Map remembers the order of insertion: what is in use is the youngest, and nobody can push it out.
      byAccept.delete(accept);
      byAccept.set(accept, mediaType);
      return mediaType;
    },
    learn(req, res) {
      const accept = acceptOf(req);
      if (res.statusCode !== 200 || accept.length > longestHeader) return;
      const [mediaType = ''] = String(res.getHeader('content-type')).split(';');
      if (!written.has(mediaType)) return;
      byAccept.set(accept, mediaType);
      const [oldest] = byAccept.keys();
      if (byAccept.size > mostHeaders && oldest !== undefined) byAccept.delete(oldest);
    },
  };
}
