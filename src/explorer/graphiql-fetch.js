import { noteRun } from './graphiql-examples.js';
import { keyHeader, reportAnswer, stored } from './graphiql-frame.js';
import { beginRequest, paneHeaders } from './graphiql-panel.js';
import { parsePayload, readPayloads } from './graphiql-readers.js';

const schemaNotice = document.getElementById('schema-notice');

const machineDirectives = new Set(
  (
    'authenticated composeDirective connect context cost external extends fromContext inaccessible interfaceObject key link ' +
    'listSize override policy provides requires requiresScopes shareable source tag'
  ).split(' '),
);

/** Names of federation begin with `_` or with the name of its specification; names of GraphQL itself begin with `__`. */
function isShown({ name }) {
  return !/^_(?!_)|^(?:federation|link)__/.test(name);
}

/** The type below lists and non-nulls. */
function namedType(type) {
  return type.ofType == null ? type : namedType(type.ofType);
}

/** Takes what only routers need out of a schema, so that the documentation begins with what people query. */
function withoutMachinery(schema) {
  const types = schema.types.filter(isShown).map((type) => ({
    ...type,
    fields: type.fields && type.fields.filter((field) => isShown(field) && isShown(namedType(field.type))),
    possibleTypes: type.possibleTypes && type.possibleTypes.filter(isShown),
  }));
  const directives = schema.directives.filter(
    (directive) => isShown(directive) && !machineDirectives.has(directive.name),
  );
  return { ...schema, types, directives };
}

/** Answers GraphiQL's question for the schema; says so where the gateway shows it to nobody. */
async function readIntrospection(response) {
  const text = await response.text();
  const introspection = parsePayload(text);
  const { __schema: schema } = introspection?.data ?? {};
  schemaNotice.hidden = schema != null;
  schemaNotice.textContent = schemaNotice.hidden
    ? ''
    : 'The gateway does not show its schema, so there are no documentation and no completion.';
  const data = schema == null ? introspection?.data : { ...introspection.data, __schema: withoutMachinery(schema) };
  const { status, statusText, headers } = response;
  const shown = introspection === null ? text : JSON.stringify({ ...introspection, data });
  return new Response(shown, { status, statusText, headers: { 'content-type': headers.get('content-type') ?? '' } });
}

const sendRequest = globalThis.fetch;

/** What GraphiQL asks for, out of the body of a POST or the address of a GET. */
function operationOf(url, init) {
  const asked = typeof init.body === 'string' ? parsePayload(init.body) : Object.fromEntries(url.searchParams);
  const { query = '', operationName = null, variables } = asked ?? {};
  const given = typeof variables === 'string' ? parsePayload(variables) : variables;
  return { query: asWritten(query), operationName, variables: given ?? {} };
}

/** A query as it stands in the editor, where it is that one: GraphiQL sends it without spaces and comments. */
function asWritten(query) {
  const written = stored('localStorage', (storage) => storage['graphiql:query']) ?? '';
  const bare = (text) => text.replaceAll(/#.*$/gm, '').replaceAll(/[\s,]+/g, '');
  return bare(written) === bare(query) ? written : query;
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
  const buffer = await response.arrayBuffer().catch((error) => {
    end(error);
    throw error;
  });
  const bytes = new Uint8Array(buffer);
  push(bytes);
  end(null);
  return bytes;
}

/** Shows the end of a request once, with the bytes that had come until then; `isStopped`: GraphiQL itself ended it. */
function endOf(entry) {
  const began = performance.now();
  let hasEnded = false;
  return (error, { status = null, bytes = 0, isStopped = error?.name === 'AbortError' } = {}) => {
    if (hasEnded) return;
    hasEnded = true;
    const reason = error === null ? null : String(error?.message ?? error);
    entry.end({ status, bytes, millis: performance.now() - began, error: reason, isStopped });
  };
}

/** Returns a response as it is; what its body holds is shown while it is read. */
async function watched(response, entry, isOwn, end) {
  const { status, statusText, headers } = response;
  const mediaType = headers.get('content-type') ?? '';
  const isEvent = mediaType.startsWith('text/event-stream');
  let bytes = 0;
  const payloads = readPayloads(
    mediaType,
    (payload) => {
      reportAnswer(payload, isOwn);
      entry.take(payload, isEvent);
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
  const isWhole = response.body === null || /^application\/(?:graphql-response\+)?json/.test(mediaType);
  const body = isWhole ? await wholeBody(response, watcher) : watchBody(response.body, watcher);
  return new Response(response.body === null ? null : body, { status, statusText, headers });
}

/** Sends a request with the key and the headers of the panel, which shows what becomes of it. */
async function sendWatched(url, init, operation) {
  const headers = new Headers({ ...paneHeaders, ...Object.fromEntries(new Headers(init.headers)) });
  const isOwn = headers.has('authorization');
  const key = isOwn ? null : keyHeader();
  if (key !== null) headers.set('authorization', key);
  noteRun(operation.query);
  const entry = beginRequest(operation);
  const end = endOf(entry);
  try {
    return await watched(await sendRequest(url, { ...init, headers }), entry, isOwn, end);
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
