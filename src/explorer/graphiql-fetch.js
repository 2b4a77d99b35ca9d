import { parsePayload, readPayloads } from './gateway.js';
import { noteRun } from './graphiql-tabs.js';
import { keyHeader, reportAnswer, stored } from './graphiql-frame.js';
import { beginRequest, panelHeaders } from './graphiql-panel.js';
import { byId } from './views.js';

const [schemaNotice] = byId('schema-notice');

const machineDirectives = new Set(
  (
    'authenticated composeDirective connect context cost external extends fromContext inaccessible interfaceObject key link ' +
    'listSize override policy provides requires requiresScopes shareable source tag'
  ).split(' '),
);

/** Names of federation begin with `_` or with the name of its specification; names of GraphQL itself begin with `__`. */
const isShown = ({ name }) => !/^_(?!_)|^(?:federation|link)__/.test(name);

/** The type below lists and non-nulls. */
const namedType = (type) => (type.ofType == null ? type : namedType(type.ofType));

/** Takes what only routers need out of a schema, so that the documentation begins with what people query. */
function withoutMachinery(schema) {
  const types = schema.types.filter(isShown).map((type) => ({
    ...type,
    fields: type.fields?.filter((field) => isShown(field) && isShown(namedType(field.type))) ?? null,
    possibleTypes: type.possibleTypes?.filter(isShown) ?? null,
  }));
  const directives = schema.directives.filter((each) => isShown(each) && !machineDirectives.has(each.name));
  return { ...schema, types, directives };
}

/** Answers GraphiQL's question for the schema; says so where the gateway shows it to nobody. */
async function readIntrospection(response) {
  const text = await response.text();
  const answer = parsePayload(text);
  const { __schema: schema = null } = answer?.data ?? {};
  schemaNotice.textContent =
    schema === null ? 'The gateway does not show its schema, so there are no documentation and no completion.' : '';
  if (schema === null) return new Response(text, response);
  return new Response(JSON.stringify({ ...answer, data: { __schema: withoutMachinery(schema) } }), response);
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
function watchBody(body, { push, end, close }) {
  const reader = body.getReader();
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (!done) {
            push(value);
            controller.enqueue(value);
            return;
          }
          close();
          controller.close();
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

/** Shows a request, its payloads as they come, and its end once; `isStopped`: GraphiQL itself ended it. */
function watchRequest(entry, isOwn) {
  const began = performance.now();
  let status = null;
  let bytes = 0;
  let hasEnded = false;
  let payloads = null;

  function end(error, isStopped = error?.name === 'AbortError') {
    if (hasEnded) return;
    hasEnded = true;
    const reason = error === null ? null : String(error?.message ?? error);
    entry.end({ status, bytes, millis: performance.now() - began, error: reason, isStopped });
  }

  return {
    end,
    begin(response, mediaType) {
      ({ status } = response);
      const use = (payload) => {
        reportAnswer(payload, isOwn);
        entry.take(payload, mediaType.startsWith('text/event-stream'));
      };
      payloads = readPayloads(mediaType, use, () => end(null));
    },
    push(chunk) {
      bytes += chunk.byteLength;
      payloads.push(chunk);
    },
    close() {
      payloads.end();
      end(null);
    },
  };
}

/** Sends a request with the key and the headers of the panel, which shows what becomes of it. */
async function sendWatched(url, init, operation) {
  const headers = new Headers({ ...panelHeaders(), ...Object.fromEntries(new Headers(init.headers)) });
  const isOwn = headers.has('authorization');
  const key = isOwn ? null : keyHeader();
  if (key !== null) headers.set('authorization', key);
  noteRun(operation.query);
  const watcher = watchRequest(beginRequest(operation), isOwn);
  try {
    const response = await sendRequest(url, { ...init, headers });
    const mediaType = response.headers.get('content-type') ?? '';
    watcher.begin(response, mediaType);
    const isWhole = response.body === null || /^application\/(?:graphql-response\+)?json/.test(mediaType);
    if (!isWhole) return new Response(watchBody(response.body, watcher), response);
    // GraphiQL reads it whole anyway, and the browser's own tools keep only bodies that are not read piece by piece.
    const whole = new Uint8Array(await response.arrayBuffer());
    watcher.push(whole);
    watcher.close();
    return new Response(response.body === null ? null : whole, response);
  } catch (error) {
    watcher.end(error);
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
