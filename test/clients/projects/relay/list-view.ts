import {
  createOperationDescriptor,
  fetchQuery,
  getPaginationMetadata,
  getPaginationVariables,
  getSingularSelector,
  type Environment,
  type SingularReaderSelector,
} from 'relay-runtime';
import query, { type ipConnectionListQuery } from './generated/ipConnectionListQuery.graphql.ts';
import list, { type ipConnectionList_query$data } from './generated/ipConnectionList_query.graphql.ts';
import row, { type ipConnectionRow_ipConnection$data } from './generated/ipConnectionRow_ipConnection.graphql.ts';

type Row = Omit<ipConnectionRow_ipConnection$data, ' $fragmentType'>;

/** The list as `usePaginationFragment` reads it, and its rows as `useFragment` does, without React. */
export class ListView {
  readonly #environment: Environment;
  readonly #selector: SingularReaderSelector;

  constructor(environment: Environment, variables: ipConnectionListQuery['variables']) {
    const operation = createOperationDescriptor(query, variables);
    this.#environment = environment;
    this.#selector = selectorOf(list, environment.lookup(operation.fragment).data);
    environment.retain(operation);
  }

  /** Reads the first page and shows it. */
  static async open(environment: Environment, variables: ipConnectionListQuery['variables']): Promise<ListView> {
    await fetchQuery<ipConnectionListQuery>(environment, query, variables).toPromise();
    return new ListView(environment, variables);
  }

  get #list(): ipConnectionList_query$data['ipConnections'] {
    return (this.#environment.lookup(this.#selector).data as unknown as ipConnectionList_query$data).ipConnections;
  }

  get hasNext(): boolean {
    return this.#list.pageInfo.hasNextPage;
  }

  get totalCount(): number | null | undefined {
    return this.#list.totalCount;
  }

  get rows(): readonly Row[] {
    return this.#list.edges.map(({ node }) => this.#environment.lookup(selectorOf(row, node)).data as unknown as Row);
  }

  /** Reads another page behind the last edge. */
  async loadMore(count: number): Promise<void> {
    const { paginationRequest, paginationMetadata } = getPaginationMetadata(list, 'ListView');
    const { endCursor = null } = this.#list.pageInfo;
    const { variables } = this.#selector.owner;
    const next = getPaginationVariables('forward', count, endCursor, variables, {}, paginationMetadata);
    await fetchQuery(this.#environment, paginationRequest, next).toPromise();
  }
}

function selectorOf(fragment: typeof list, reference: unknown): SingularReaderSelector {
  const selector = getSingularSelector(fragment, reference);
  if (selector === null || selector === undefined) throw new Error(`There is nothing for ${fragment.name}.`);
  return selector;
}
