import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';
import { contextOf, peerSchema, type PeerContext } from './resolvers.ts';

// RESTDataSource would cache and copy what each request reads once.
const server = new ApolloServer<PeerContext>({ schema: peerSchema(), nodeEnv: 'production', persistedQueries: false });
const { url } = await startStandaloneServer(server, {
  listen: { port: 0, host: '127.0.0.1' },
  context: async ({ req }) => contextOf(req.headers.authorization),
});
console.log(`Apollo Server listens on ${url}`);
