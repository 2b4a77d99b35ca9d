import { judgeKey, keyHeader } from './graphiql-frame.js';
import { parsePayload, readPayloads } from './graphiql-readers.js';

const schemaNotice = document.getElementById('schema-notice');

/** Names of federation begin with `_` or with the name of its specification; names of GraphQL itself begin with `__`. */
function isMachinery(name) {
  return /^_(?!_)|^(?:federation|link)__/.test(name) || machineDirectives.has(name);
}

const machineDirectives = new Set(
  (
    'authenticated composeDirective connect context cost external extends fromContext inaccessible interfaceObject key link ' +
    'listSize override policy provides requires requiresScopes shareable source tag'
  ).split(' '),
);

/** The name of a type below its lists and non-nulls. */
function baseName(type) {
  return type.ofType == null ? type.name : baseName(type.ofType);
}

/** Takes what only routers need out of an introspection, so that the documentation begins with what people query. */
function withoutMachinery(introspection) {
  const { __schema: schema } = introspection?.data ?? {};
  if (!Array.isArray(schema?.types) || !Array.isArray(schema.directives)) return introspection;
  const types = schema.types
    .filter(({ name }) => !isMachinery(name))
    .map((type) => ({
      ...type,
      ...(type.fields && {
        fields: type.fields.filter(({ name, type: of }) => ![name, baseName(of)].some(isMachinery)),
      }),
      ...(type.possibleTypes && { possibleTypes: type.possibleTypes.filter(({ name }) => !isMachinery(name)) }),
    }));
  const directives = schema.directives.filter(({ name }) => !isMachinery(name));
  return { ...introspection, data: { ...introspection.data, __schema: { ...schema, types, directives } } };
}

/** Answers GraphiQL's question for the schema; says so where the gateway shows it to nobody. */
export async function readIntrospection(response) {
  const text = await response.text();
  const introspection = parsePayload(text);
  const { __schema: schema } = introspection?.data ?? {};
  const isRefused = schema == null;
  schemaNotice.hidden = !isRefused;
  schemaNotice.textContent = isRefused
    ? 'The gateway does not show its schema, so there are no documentation and no completion.'
    : '';
  const shown = introspection === null ? text : JSON.stringify(withoutMachinery(introspection));
  const { status, statusText, headers } = response;
  return new Response(shown, { status, statusText, headers: { 'content-type': headers.get('content-type') ?? '' } });
}

const sendRequest = globalThis.fetch;
/** Headers that the panes add to each request of GraphiQL. */
export const paneHeaders = {};
let requestCount = 0;

/** Tells the panes what happens: `request`, `payload` and `end`, each with the number of its request. */
function announce(name, detail) {
  dispatchEvent(new CustomEvent(`switchboard:${name}`, { detail }));
}

/** What GraphiQL asks for, out of the body of a POST or the address of a GET. */
function operationOf(url, init) {
  const asked = typeof init.body === 'string' ? parsePayload(init.body) : Object.fromEntries(url.searchParams);
  const variables = typeof asked?.variables === 'string' ? parsePayload(asked.variables) : asked?.variables;
  return { query: asked?.query ?? '', operationName: asked?.operationName ?? null, variables: variables ?? null };
}

/** Hands a body on as it is, at the pace of its reader, and shows its bytes to a watcher. */
function watchBody(body, { push, end }) {
  const reader = body.getReader();
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) {
            end(null);
            controller.close();
            return;
          }
          push(value);
          controller.enqueue(value);
        } catch (error) {
          end(error);
          controller.error(error);
        }
      },
      cancel(reason) {
        end(null, true);
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

/** Reads a body that GraphiQL reads whole anyway: the browser's own tools keep only bodies that are not read piece by piece. */
async function wholeBody(response, { push, end }) {
  try {
    const bytes = new Uint8Array(await response.arrayBuffer());
    push(bytes);
    end(null);
    return bytes;
  } catch (error) {
    end(error);
    throw error;
  }
}

/** Announces the end of a request once, with the bytes that had come until then; `isStopped`: GraphiQL itself ended it. */
function endOf(id) {
  const began = performance.now();
  let hasEnded = false;
  return (error, { status = null, bytes = 0, isStopped = error?.name === 'AbortError' } = {}) => {
    if (hasEnded) return;
    hasEnded = true;
    const reason = error === null ? null : String(error?.message ?? error);
    announce('end', { id, status, bytes, millis: performance.now() - began, error: reason, isStopped });
  };
}

/** Returns a response as it is; what its body holds is announced while it is read. */
async function announced(response, id, isOwn, end) {
  const { status, statusText, headers } = response;
  if (response.body === null) {
    end(null, { status });
    return response;
  }
  const mediaType = headers.get('content-type') ?? '';
  const isEvent = mediaType.startsWith('text/event-stream');
  let bytes = 0;
  const payloads = readPayloads(
    mediaType,
    (payload) => {
      judgeKey(payload, isOwn);
      announce('payload', { id, payload, isEvent });
    },
    () => end(null, { status, bytes }),
  );
  const watcher = {
    push(chunk) {
      bytes += chunk.byteLength;
      payloads.push(chunk);
    },
    end(error, isStopped) {
      if (error === null && !isStopped) payloads.end();
      end(error, { status, bytes, isStopped });
    },
  };
  const isWhole = /^application\/(?:graphql-response\+)?json/.test(mediaType);
  const body = isWhole ? await wholeBody(response, watcher) : watchBody(response.body, watcher);
  return new Response(body, { status, statusText, headers });
}

/** Sends a request with the key and the headers of the panes, and announces what becomes of it. */
async function sendWatched(url, init, operation) {
  const headers = new Headers({ ...paneHeaders, ...Object.fromEntries(new Headers(init.headers)) });
  const isOwn = headers.has('authorization');
  const key = isOwn ? null : keyHeader();
  if (key !== null) headers.set('authorization', key);
  const id = ++requestCount;
  const end = endOf(id);
  announce('request', { id, ...operation });
  try {
    return await announced(await sendRequest(url, { ...init, headers }), id, isOwn, end);
  } catch (error) {
    end(error);
    throw error;
  }
}

globalThis.fetch = async function fetch(input, init = {}) {
  const url = new URL(String(input?.url ?? input), location.href);
  if (url.origin !== location.origin || url.pathname !== '/graphql') return sendRequest(input, init);
  const operation = operationOf(url, init);
  if (!operation.query.includes('__schema') || operation.operationName !== 'IntrospectionQuery')
    return sendWatched(url.href, init, operation);
  return readIntrospection(await sendRequest(input, init));
};
