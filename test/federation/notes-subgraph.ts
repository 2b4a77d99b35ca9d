import { createServer } from 'node:http';
import { buildSubgraphSchema } from '@apollo/subgraph';
import { parse } from 'graphql';
import { createYoga } from 'graphql-yoga';
import { listenOnLoopback } from '../support/http.ts';

/** A foreign subgraph with a `Node`, a `Query.node` and a `PageInfo` of its own, and notes on our entities. */
export const notesSdl = /* GraphQL */ `
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable"])

  type Query {
    node(id: ID!): Node
    notes: NoteConnection!
  }

  interface Node {
    id: ID!
  }

  type NoteConnection {
    nodes: [Note!]!
    pageInfo: PageInfo!
  }

  type PageInfo @shareable {
    hasNextPage: Boolean!
    hasPreviousPage: Boolean!
    startCursor: String
    endCursor: String
  }

  type Note implements Node @key(fields: "id") {
    id: ID!
    text: String!
    connection: IpConnection
    mission: Mission
  }

  type IpConnection @key(fields: "id") {
    id: ID!
    notes: [Note!]
  }

  type Mission @key(fields: "id", resolvable: false) {
    id: ID!
  }
`;

/** A note, and the identifiers of what it is about. */
export interface Note {
  readonly id: string;
  readonly text: string;
  readonly connectionId?: string;
  readonly missionId?: string;
}

/** Starts the subgraph over a handful of notes, and writes down the documents that a router sends. */
export async function startNotesSubgraph(notes: readonly Note[]) {
  const documents: string[] = [];
  const page = { hasNextPage: false, hasPreviousPage: false };
  const reference = (type: string, id: string | undefined) => (id === undefined ? null : { __typename: type, id });
  const noteOf = (id: string) => notes.find((note) => note.id === id) ?? null;
  const schema = buildSubgraphSchema([
    {
      typeDefs: parse(notesSdl),
      resolvers: {
        Query: {
          node: (_root: unknown, { id }: { id: string }) => noteOf(id),
          notes: () => ({ nodes: notes, pageInfo: page }),
        },
        Node: { __resolveType: () => 'Note' },
        Note: {
          __resolveReference: ({ id }: { id: string }) => noteOf(id),
          connection: ({ connectionId }: Note) => reference('IpConnection', connectionId),
          mission: ({ missionId }: Note) => reference('Mission', missionId),
        },
        IpConnection: { notes: ({ id }: { id: string }) => notes.filter(({ connectionId }) => connectionId === id) },
      },
    },
  ]);
  const yoga = createYoga({
    schema,
    logging: false,
    plugins: [{ onParams: ({ params }) => void documents.push(params.query ?? '') }],
  });
  const server = createServer((req, res) => void yoga(req, res));
  const { origin, close } = await listenOnLoopback(server);
  return { url: `${origin}/graphql`, documents, close };
}
