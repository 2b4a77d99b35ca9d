/**
 * @generated SignedSource<<f0557952276d30a9022921aeffe13e88>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import type { ReaderFragment } from 'relay-runtime';
import type { FragmentRefs } from "relay-runtime";
export type ipConnectionRow_ipConnection$data = {
  readonly active: boolean | null | undefined;
  readonly connectionName: string | null | undefined;
  readonly id: string | null | undefined;
  readonly nodeId: string;
  readonly " $fragmentType": "ipConnectionRow_ipConnection";
};
export type ipConnectionRow_ipConnection$key = {
  readonly " $data"?: ipConnectionRow_ipConnection$data;
  readonly " $fragmentSpreads": FragmentRefs<"ipConnectionRow_ipConnection">;
};

import ipConnectionRowRefetchQuery_graphql from './ipConnectionRowRefetchQuery.graphql';

const node: ReaderFragment = {
  "argumentDefinitions": [],
  "kind": "Fragment",
  "metadata": {
    "refetch": {
      "connection": null,
      "fragmentPathInResult": [
        "node"
      ],
      "operation": ipConnectionRowRefetchQuery_graphql,
      "identifierInfo": {
        "identifierField": "nodeId",
        "identifierQueryVariableName": "id"
      }
    }
  },
  "name": "ipConnectionRow_ipConnection",
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
    }
  ],
  "type": "IpConnection",
  "abstractKey": null
};

(node as any).hash = "eef2135d0fc2ac4dc87e821217011898";

export default node;
