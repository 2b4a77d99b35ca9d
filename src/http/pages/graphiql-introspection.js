import { parsePayload } from './graphiql-payloads.js';

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
