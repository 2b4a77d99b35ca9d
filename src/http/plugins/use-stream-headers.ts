import type { Plugin } from 'graphql-yoga';
import type { GraphqlRequest } from '../request/graphql-request.ts';
import { streamCaching } from '../response/caching.ts';
import { leaveFramingToNode } from '../response/framing.ts';
import { challenge } from '../response/status.ts';

/**
 * Adds the headers of streams and of responses in pieces that Yoga does not know, or sets otherwise. They come on Yoga's path
 * alone, and so does the only response with status 401: a subscription without a key.
 */
export function useStreamHeaders(): Plugin<object, GraphqlRequest> {
  return {
    onResponse({ response: { status, headers } }) {
      if (status === 401) headers.set('www-authenticate', challenge);
      // Yoga names a coding for events that there is not (RFC 9110, section 8.4.1).
      if (headers.get('content-encoding') === 'none') headers.delete('content-encoding');
      leaveFramingToNode(headers);
      if (comesInParts(headers.get('content-type'))) headers.set('cache-control', streamCaching);
    },
  };
}

function comesInParts(contentType: string | null): boolean {
  return contentType !== null && /^(?:text\/event-stream|multipart\/mixed)\b/.test(contentType);
}
