import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buildSubgraphSchema } from '@apollo/subgraph';
import { parse } from 'graphql';
import { createYoga } from 'graphql-yoga';

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

/** The subgraph as it runs on loopback. */
export interface NotesSubgraph {
  readonly url: string;
  /** The documents that the router sent. */
  readonly documents: readonly string[];
  close(): Promise<void>;
}

/** Starts the subgraph over a handful of notes. */
export async function startNotesSubgraph(notes: readonly Note[]): Promise<NotesSubgraph> {
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
        IpConnection: {
          notes: ({ id }: { id: string }) => notes.filter(({ connectionId }) => connectionId === id),
        },
      },
    },
  ]);
  const yoga = createYoga({
    schema,
    logging: false,
    plugins: [{ onParams: ({ params }) => void documents.push(params.query ?? '') }],
  });
  const server = createServer((req, res) => void yoga(req, res));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/graphql`,
    documents,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
