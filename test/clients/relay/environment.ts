import {
  Environment,
  Network,
  Observable,
  RecordSource,
  Store,
  type GraphQLResponse,
  type GraphQLSingularResponse,
} from 'relay-runtime';
import type { Gateway } from '../../support/gateway.ts';

/** A Relay environment as a frontend has it, in front of a gateway. */
export function createEnvironment(gateway: Gateway): Environment {
  const ask = (text: string | null | undefined, variables: object): Promise<Response> =>
    gateway.fetch('/graphql', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: 'Bearer relay-key',
        accept: 'multipart/mixed, application/json',
      },
      body: JSON.stringify({ query: text, variables }),
    });
  return new Environment({
    network: Network.create(({ text }, variables) => Observable.from(ask(text, variables)).mergeMap(payloadsOf)),
    store: new Store(new RecordSource()),
    // Relay takes `id` for what names an object everywhere; in this schema that is `nodeId`.
    getDataID: ({ nodeId }) => nodeId,
  });
}

type Part = GraphQLSingularResponse & {
  readonly incremental?: readonly GraphQLSingularResponse[];
  readonly hasNext?: boolean;
};

/** A response as Relay reads it: each entry of `incremental` as a response of its own. */
const payloadsOf = (response: Response): Observable<GraphQLResponse> =>
  Observable.create((sink) => {
    void (async () => {
      for await (const { incremental, hasNext = false, ...whole } of partsOf(response)) {
        const parts = incremental ?? [whole];
        for (const part of parts)
          sink.next({ ...part, extensions: { ...part.extensions, is_final: !hasNext && part === parts.at(-1) } });
      }
      sink.complete();
    })().catch((error: Error) => sink.error(error));
  });

/** The JSON of a response, or of each of its pieces as they come. */
async function* partsOf(response: Response): AsyncGenerator<Part> {
  if (!response.headers.get('content-type')?.startsWith('multipart/mixed')) {
    yield await response.json();
    return;
  }
  let text = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    // The boundary is a hyphen, behind two. In JSON there is no line break.
    const pieces = (text + chunk).split('\r\n---');
    text = pieces.pop() ?? '';
    for (const piece of pieces.filter((one) => one.includes('{'))) yield JSON.parse(piece.slice(piece.indexOf('{')));
  }
}
