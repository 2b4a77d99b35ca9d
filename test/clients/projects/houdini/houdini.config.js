/** @type {import('houdini').ConfigFile} */
export default {
  url: import.meta.env?.VITE_SWITCHBOARD_URL ?? 'http://127.0.0.1:4000/graphql',
  schemaPath: './schema.graphql',
  scalars: {
    Date: { type: 'string' },
    DateTime: { type: 'string' },
    Decimal: { type: 'string' },
    JSONObject: { type: 'unknown' },
  },
  // Pages of a fragment are read again by the row's own identifier: `node` takes a `nodeId` here.
  types: { IpConnection: { resolve: { queryField: 'ipConnection', arguments: ({ id }) => ({ id }) } } },
};
