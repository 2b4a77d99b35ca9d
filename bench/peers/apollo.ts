import { RESTDataSource, type AugmentedRequest } from '@apollo/datasource-rest';
import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';
import { queryString, resolvers, typeDefs, type PeerContext } from './resolvers.ts';

/** The upstream as a data source, one for each request. */
class Upstream extends RESTDataSource {
  override baseURL = `${process.env['UPSTREAM_BASE_URL']}/`;
  readonly #authorization: string;

  constructor(authorization: string) {
    super();
    this.#authorization = authorization;
  }

  override willSendRequest(_path: string, request: AugmentedRequest): void {
    request.headers['authorization'] = this.#authorization;
  }

  read(path: string, parameters: Readonly<Record<string, unknown>>): Promise<unknown> {
    return this.get(`${path.slice(1)}?${queryString(parameters)}`);
  }
}

const server = new ApolloServer<PeerContext>({ typeDefs, resolvers, nodeEnv: 'production' });
const { url } = await startStandaloneServer(server, {
  listen: { port: 0, host: '127.0.0.1' },
  context: async ({ req }) => {
    const upstream = new Upstream(req.headers.authorization ?? '');
    return { fetch: (path, parameters) => upstream.read(path, parameters) };
  },
});
console.log(`Apollo Server listens on ${url}`);
