/**
 * @generated SignedSource<<6805d8d796012b2c3f785845c6f606d7>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import type { ConcreteRequest } from 'relay-runtime';
import type { FragmentRefs } from "relay-runtime";
export type ipConnectionRowRefetchQuery$variables = {
  nodeId: string;
};
export type ipConnectionRowRefetchQuery$data = {
  readonly node: {
    readonly " $fragmentSpreads": FragmentRefs<"ipConnectionRow_ipConnection">;
  } | null | undefined;
};
export type ipConnectionRowRefetchQuery = {
  response: ipConnectionRowRefetchQuery$data;
  variables: ipConnectionRowRefetchQuery$variables;
};

const node: ConcreteRequest = (function(){
var v0 = [
  {
    "defaultValue": null,
    "kind": "LocalArgument",
    "name": "nodeId"
  }
],
v1 = [
  {
    "kind": "Variable",
    "name": "nodeId",
    "variableName": "nodeId"
  }
];
return {
  "fragment": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Fragment",
    "metadata": null,
    "name": "ipConnectionRowRefetchQuery",
    "selections": [
      {
        "alias": null,
        "args": (v1/*:: as any*/),
        "concreteType": null,
        "kind": "LinkedField",
        "name": "node",
        "plural": false,
        "selections": [
          {
            "args": null,
            "kind": "FragmentSpread",
            "name": "ipConnectionRow_ipConnection"
          }
        ],
        "storageKey": null
      }
    ],
    "type": "Query",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Operation",
    "name": "ipConnectionRowRefetchQuery",
    "selections": [
      {
        "alias": null,
        "args": (v1/*:: as any*/),
        "concreteType": null,
        "kind": "LinkedField",
        "name": "node",
        "plural": false,
        "selections": [
          {
            "alias": null,
            "args": null,
            "kind": "ScalarField",
            "name": "__typename",
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
            "kind": "InlineFragment",
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
              }
            ],
            "type": "IpConnection",
            "abstractKey": null
          }
        ],
        "storageKey": null
      }
    ]
  },
  "params": {
    "cacheID": "a11b414c7dc0887d195cd418db961883",
    "id": null,
    "metadata": {},
    "name": "ipConnectionRowRefetchQuery",
    "operationKind": "query",
    "text": "query ipConnectionRowRefetchQuery(\n  $nodeId: ID!\n) {\n  node(nodeId: $nodeId) {\n    __typename\n    ...ipConnectionRow_ipConnection\n    nodeId\n  }\n}\n\nfragment ipConnectionRow_ipConnection on IpConnection {\n  id\n  connectionName\n  active\n  nodeId\n}\n"
  }
};
})();

(node as any).hash = "eef2135d0fc2ac4dc87e821217011898";

export default node;
