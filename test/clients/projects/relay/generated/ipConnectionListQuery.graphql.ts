/**
 * @generated SignedSource<<aaea1c5b336d694672ba1f5f67e25612>>
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
export type ipConnectionListQuery$variables = {
  filter?: IpConnectionFilter | null | undefined;
  first: number;
  orderBy?: IpConnectionOrder | null | undefined;
};
export type ipConnectionListQuery$data = {
  readonly " $fragmentSpreads": FragmentRefs<"ipConnectionList_query">;
};
export type ipConnectionListQuery = {
  response: ipConnectionListQuery$data;
  variables: ipConnectionListQuery$variables;
};

const node: ConcreteRequest = (function(){
var v0 = {
  "defaultValue": null,
  "kind": "LocalArgument",
  "name": "filter"
},
v1 = {
  "defaultValue": null,
  "kind": "LocalArgument",
  "name": "first"
},
v2 = {
  "defaultValue": null,
  "kind": "LocalArgument",
  "name": "orderBy"
},
v3 = [
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
    "argumentDefinitions": [
      (v0/*:: as any*/),
      (v1/*:: as any*/),
      (v2/*:: as any*/)
    ],
    "kind": "Fragment",
    "metadata": null,
    "name": "ipConnectionListQuery",
    "selections": [
      {
        "args": (v3/*:: as any*/),
        "kind": "FragmentSpread",
        "name": "ipConnectionList_query"
      }
    ],
    "type": "Query",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": [
      (v1/*:: as any*/),
      (v0/*:: as any*/),
      (v2/*:: as any*/)
    ],
    "kind": "Operation",
    "name": "ipConnectionListQuery",
    "selections": [
      {
        "alias": null,
        "args": (v3/*:: as any*/),
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
        "args": (v3/*:: as any*/),
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
    "cacheID": "c60d2ae4e7d8c7c89210dd6b1900917a",
    "id": null,
    "metadata": {},
    "name": "ipConnectionListQuery",
    "operationKind": "query",
    "text": "query ipConnectionListQuery(\n  $first: Int!\n  $filter: IpConnectionFilter\n  $orderBy: IpConnectionOrder\n) {\n  ...ipConnectionList_query_2d34Kc\n}\n\nfragment ipConnectionList_query_2d34Kc on Query {\n  ipConnections(first: $first, filter: $filter, orderBy: $orderBy) {\n    edges {\n      node {\n        ...ipConnectionRow_ipConnection\n        nodeId\n        __typename\n      }\n      cursor\n    }\n    pageInfo {\n      endCursor\n      hasNextPage\n    }\n    totalCount\n  }\n}\n\nfragment ipConnectionRow_ipConnection on IpConnection {\n  id\n  connectionName\n  active\n  nodeId\n}\n"
  }
};
})();

(node as any).hash = "cc04b451a85d258f90fc30b1c44d0701";

export default node;
