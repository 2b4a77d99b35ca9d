import type { IncomingMessage, ServerResponse } from 'node:http';
import { LRUCache } from 'lru-cache';

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
  const byAccept = new LRUCache<string, string>({ max: mostHeaders });
  const acceptOf = ({ headers }: IncomingMessage): string => headers.accept ?? '*/*';
  return {
    of: (req) => byAccept.get(acceptOf(req)) ?? null,
    learn(req, res) {
      const accept = acceptOf(req);
      if (res.statusCode !== 200 || accept.length > longestHeader) return;
      const [mediaType = ''] = String(res.getHeader('content-type')).split(';');
      if (written.has(mediaType)) byAccept.set(accept, mediaType);
    },
  };
}
