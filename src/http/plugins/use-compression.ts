import type { Plugin } from 'graphql-yoga';
import { compressedFrom } from '../../bounds.ts';
import type { GraphqlRequest } from '../request/graphql-request.ts';
import { compressResponse } from '../response/compressed-response.ts';
import type { ChooseCoding } from '../response/content-coding.ts';

/** Compresses whole responses that are worth it. A stream and a response in pieces have no length, and go as they are. */
export function useCompression(chooseCoding: ChooseCoding): Plugin<object, GraphqlRequest> {
  return {
    async onResponse(hook) {
      const { response, serverContext, fetchAPI } = hook;
      const { req } = serverContext;
      if (!(Number(response.headers.get('content-length')) >= compressedFrom) || chooseCoding(req) === null) return;
      hook.setResponse(await compressResponse(response, req, chooseCoding, fetchAPI));
    },
  };
}
