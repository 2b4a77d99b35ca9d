// The caller's key goes to Switchboard, and to no other subgraph.
export const gatewayConfig = {
  propagateHeaders: {
    fromClientToSubgraphs: ({ request, subgraphName }) =>
      subgraphName === 'switchboard' ? { authorization: request.headers.get('authorization') } : {},
  },
};
