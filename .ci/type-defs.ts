import { readdirSync, readFileSync } from 'node:fs';
import { printSchemaWithDirectives } from '@graphql-tools/utils';
import { buildASTSchema, concatAST, Kind, parse, print, visit, type DocumentNode } from 'graphql';
import { writtenOut } from './shorthand.ts';

// The three forms of `schema/`: what the gateway executes, what clients see, and what a supergraph is composed of.

const folder = new URL('../schema/', import.meta.url);

/** What is written in `schema/`, one file after another in the order of their names. */
export function readSources(): DocumentNode {
  const files = readdirSync(folder).filter((name) => name.endsWith('.graphql'));
  const texts = files.sort().map((name) => readFileSync(new URL(name, folder), 'utf8'));
  return parse(texts.join('\n'));
}

/** The type definitions of `schema/`, written out. */
export function readTypeDefs(): DocumentNode {
  return writtenOut(readSources());
}

// What `schema/` imports of federation 2.9, by the names that a schema gives to what it does not import.
const federationDefinitions = /* GraphQL */ `
  directive @link(url: String, as: String, for: link__Purpose, import: [link__Import]) repeatable on SCHEMA
  directive @key(fields: federation__FieldSet!, resolvable: Boolean = true) repeatable on OBJECT | INTERFACE
  directive @shareable repeatable on OBJECT | FIELD_DEFINITION
  directive @tag(
    name: String!
  ) repeatable on FIELD_DEFINITION | INTERFACE | OBJECT | UNION | ARGUMENT_DEFINITION | SCALAR | ENUM | ENUM_VALUE | INPUT_OBJECT | INPUT_FIELD_DEFINITION | SCHEMA
  directive @cost(
    weight: Int!
  ) on ARGUMENT_DEFINITION | ENUM | FIELD_DEFINITION | INPUT_FIELD_DEFINITION | OBJECT | SCALAR
  directive @listSize(
    assumedSize: Int
    slicingArguments: [String!]
    sizedFields: [String!]
    requireOneSlicingArgument: Boolean = true
  ) on FIELD_DEFINITION
  scalar federation__FieldSet
  scalar link__Import
  enum link__Purpose {
    "What is needed to resolve fields securely."
    SECURITY
    "What is needed to execute operations."
    EXECUTION
  }
  type _Service {
    sdl: String!
  }
  scalar _Any
  extend type Query {
    _entities(representations: [_Any!]!): [_Entity]!
    _service: _Service!
  }
`;

// It is for clients only: a supergraph has its own.
const deferDefinition = parse(
  `
"Directs the executor to defer this fragment when the \`if\` argument is true or undefined."
directive @defer(
  "Deferred when true or undefined."
  if: Boolean! = true
  "Unique name"
  label: String
) on FRAGMENT_SPREAD | INLINE_FRAGMENT`,
  { noLocation: true },
);

/** The schema as the gateway executes it, in SDL: with `_service`, and with `_entities` of all types that have a `@key`. */
export function printExecutableSchema(typeDefs: DocumentNode): string {
  const entities = typeDefs.definitions.flatMap((definition) => {
    if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION) return [];
    return definition.directives?.some(({ name }) => name.value === 'key') === true ? [definition.name.value] : [];
  });
  const definitions = `${federationDefinitions} union _Entity = ${entities.sort().join(' | ')}`;
  return `${print(concatAST([typeDefs, parse(definitions), deferDefinition]))}\n`;
}

// The directives of @link are for a supergraph; they mean nothing to a client.
const federationDirectives = new Set(['key', 'shareable', 'tag', 'cost', 'listSize', 'link']);

// A comment, since it is for those who read the file. Without the setting, relay-compiler ends with a panic that names no cause.
const head = `# The schema of Switchboard, for clients and their code generators.
#
# Relay: put "schemaConfig": { "nodeInterfaceIdField": "nodeId" } into relay.config.json. The identifier of Node is \`nodeId\` here,
# and relay-compiler panics where it looks for \`id\`. The runtime needs getDataID: ({ nodeId }) => nodeId.
`;

/** The schema as clients see it, in SDL: for their code generators, and for the diff that shows a breaking change. */
export function printClientSchema(typeDefs: DocumentNode): string {
  const document = visit(concatAST([typeDefs, deferDefinition]), {
    Directive: ({ name }) => (federationDirectives.has(name.value) ? null : undefined),
    SchemaExtension: () => null,
  });
  return `${head}\n${printSchemaWithDirectives(buildASTSchema(document))}\n`;
}

// A router has nulls of its own, for which nobody here can promise an error.
const clientDirectives = new Set(['semanticNonNull']);

// Other subgraphs are likely to have types and fields of these names, and two that differ do not compose.
const relayTypes = new Set(['Node']);
const relayFields = new Set(['node', 'nodes']);

/**
 * The schema as a supergraph composes it: with its federation directives, without what is for clients alone, such as the fields of Relay
 * (interface: "Federation").
 */
export function printSubgraphSchema(typeDefs: DocumentNode): string {
  const document = visit(typeDefs, {
    Directive: ({ name }) => (clientDirectives.has(name.value) ? null : undefined),
    DirectiveDefinition: ({ name }) => (clientDirectives.has(name.value) ? null : undefined),
    InterfaceTypeDefinition: ({ name }) => (relayTypes.has(name.value) ? null : undefined),
    ObjectTypeDefinition(definition) {
      const interfaces = definition.interfaces?.filter(({ name }) => !relayTypes.has(name.value)) ?? [];
      const isQuery = definition.name.value === 'Query';
      const fields = definition.fields?.filter(({ name }) => !isQuery || !relayFields.has(name.value)) ?? [];
      return { ...definition, kind: Kind.OBJECT_TYPE_DEFINITION, interfaces, fields };
    },
  });
  return `${print(document)}\n`;
}
