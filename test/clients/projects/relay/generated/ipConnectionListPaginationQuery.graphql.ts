/**
 * @generated SignedSource<<f01c364ab0a80d0c0f1a91a277ed789b>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import type { ConcreteRequest } from 'relay-runtime';
import type { FragmentRefs } from "relay-runtime";
export type IpConnectionOrderField = "ACTIVE" | "CONNECTION_NAME" | "CREATED_AT" | "%future added value";
export type OrderDirection = "ASC" | "DESC" | "%future added value";
export type IpConnectionFilter = {
  active?: boolean | null | undefined;
  connectionName?: ConnectionNameFilter | null | undefined;
  fqdn?: string | null | undefined;
  outbound?: IpConnectionOutboundFilter | null | undefined;
  outboundVoiceProfileId?: string | null | undefined;
  tags?: TagsFilter | null | undefined;
};
export type ConnectionNameFilter = {
  contains?: string | null | undefined;
  eq?: string | null | undefined;
};
export type IpConnectionOutboundFilter = {
  outboundVoiceProfileId?: string | null | undefined;
};
export type TagsFilter = {
  contains?: string | null | undefined;
};
export type IpConnectionOrder = {
  direction?: OrderDirection;
  field: IpConnectionOrderField;
};
export type ipConnectionListPaginationQuery$variables = {
  after?: string | null | undefined;
  filter?: IpConnectionFilter | null | undefined;
  first?: number | null | undefined;
  orderBy?: IpConnectionOrder | null | undefined;
};
export type ipConnectionListPaginationQuery$data = {
  readonly " $fragmentSpreads": FragmentRefs<"ipConnectionList_query">;
};
export type ipConnectionListPaginationQuery = {
  response: ipConnectionListPaginationQuery$data;
  variables: ipConnectionListPaginationQuery$variables;
};

const node: ConcreteRequest = (function(){
var v0 = [
  {
    "defaultValue": null,
    "kind": "LocalArgument",
    "name": "after"
  },
  {
    "defaultValue": null,
    "kind": "LocalArgument",
    "name": "filter"
  },
  {
    "defaultValue": 20,
    "kind": "LocalArgument",
    "name": "first"
  },
  {
    "defaultValue": null,
    "kind": "LocalArgument",
    "name": "orderBy"
  }
],
v1 = [
  {
    "kind": "Variable",
    "name": "after",
    "variableName": "after"
  },
  {
    "kind": "Variable",
    "name": "filter",
    "variableName": "filter"
  },
  {
    "kind": "Variable",
    "name": "first",
    "variableName": "first"
  },
  {
    "kind": "Variable",
    "name": "orderBy",
    "variableName": "orderBy"
  }
];
return {
  "fragment": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Fragment",
    "metadata": null,
    "name": "ipConnectionListPaginationQuery",
    "selections": [
      {
        "args": (v1/*:: as any*/),
        "kind": "FragmentSpread",
        "name": "ipConnectionList_query"
      }
    ],
    "type": "Query",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Operation",
    "name": "ipConnectionListPaginationQuery",
    "selections": [
      {
        "alias": null,
        "args": (v1/*:: as any*/),
        "concreteType": "IpConnectionConnection",
        "kind": "LinkedField",
        "name": "ipConnections",
        "plural": false,
        "selections": [
          {
            "alias": null,
            "args": null,
            "concreteType": "IpConnectionEdge",
            "kind": "LinkedField",
            "name": "edges",
            "plural": true,
            "selections": [
              {
                "alias": null,
                "args": null,
                "concreteType": "IpConnection",
                "kind": "LinkedField",
                "name": "node",
                "plural": false,
                "selections": [
                  {
                    "alias": null,
                    "args": null,
                    "kind": "ScalarField",
                    "name": "id",
                    "storageKey": null
                  },
                  {
                    "alias": null,
                    "args": null,
                    "kind": "ScalarField",
                    "name": "connectionName",
                    "storageKey": null
                  },
                  {
                    "alias": null,
                    "args": null,
                    "kind": "ScalarField",
                    "name": "active",
                    "storageKey": null
                  },
                  {
                    "alias": null,
                    "args": null,
                    "kind": "ScalarField",
                    "name": "nodeId",
                    "storageKey": null
                  },
                  {
                    "alias": null,
                    "args": null,
                    "kind": "ScalarField",
                    "name": "__typename",
                    "storageKey": null
                  }
                ],
                "storageKey": null
              },
              {
                "alias": null,
                "args": null,
                "kind": "ScalarField",
                "name": "cursor",
                "storageKey": null
              }
            ],
            "storageKey": null
          },
          {
            "alias": null,
            "args": null,
            "concreteType": "PageInfo",
            "kind": "LinkedField",
            "name": "pageInfo",
            "plural": false,
            "selections": [
              {
                "alias": null,
                "args": null,
                "kind": "ScalarField",
                "name": "endCursor",
                "storageKey": null
              },
              {
                "alias": null,
                "args": null,
                "kind": "ScalarField",
                "name": "hasNextPage",
                "storageKey": null
              }
            ],
            "storageKey": null
          },
          {
            "alias": null,
            "args": null,
            "kind": "ScalarField",
            "name": "totalCount",
            "storageKey": null
          }
        ],
        "storageKey": null
      },
      {
        "alias": null,
        "args": (v1/*:: as any*/),
        "filters": [
          "filter",
          "orderBy"
        ],
        "handle": "connection",
        "key": "ipConnectionList_ipConnections",
        "kind": "LinkedHandle",
        "name": "ipConnections"
      }
    ]
  },
  "params": {
    "cacheID": "4e935ac690f29a67e1d249effe32a17a",
    "id": null,
    "metadata": {},
    "name": "ipConnectionListPaginationQuery",
    "operationKind": "query",
    "text": "query ipConnectionListPaginationQuery(\n  $after: String\n  $filter: IpConnectionFilter\n  $first: Int = 20\n  $orderBy: IpConnectionOrder\n) {\n  ...ipConnectionList_query_5SL3L\n}\n\nfragment ipConnectionList_query_5SL3L on Query {\n  ipConnections(first: $first, after: $after, filter: $filter, orderBy: $orderBy) {\n    edges {\n      node {\n        ...ipConnectionRow_ipConnection\n        nodeId\n        __typename\n      }\n      cursor\n    }\n    pageInfo {\n      endCursor\n      hasNextPage\n    }\n    totalCount\n  }\n}\n\nfragment ipConnectionRow_ipConnection on IpConnection {\n  id\n  connectionName\n  active\n  nodeId\n}\n"
  }
};
})();

(node as any).hash = "69ad87b73c3a1b9aee9e75d6205d5c5d";

export default node;
