import type { Plugin } from 'graphql-yoga';
import { compressedFrom } from '../../bounds.ts';
import type { GraphqlRequest } from '../request/graphql-request.ts';
import { compress } from '../response/compression.ts';
import type { ChooseCoding } from '../response/content-coding.ts';

/** Compresses whole responses that are worth it. A stream and a response in pieces have no length, and go as they are. */
export function useCompression(chooseCoding: ChooseCoding): Plugin<object, GraphqlRequest> {
  return {
    async onResponse(hook) {
      const { response, serverContext, fetchAPI } = hook;
      if (!(Number(response.headers.get('content-length')) >= compressedFrom)) return;
      const coding = chooseCoding(serverContext.req);
      if (coding === null) return;
      const body = await compress(coding, Buffer.from(await response.arrayBuffer()));
      const headers = new fetchAPI.Headers(response.headers);
      headers.set('content-encoding', coding);
      headers.set('content-length', String(body.length));
      hook.setResponse(new fetchAPI.Response(body as Uint8Array<ArrayBuffer>, { status: response.status, headers }));
    },
  };
}
