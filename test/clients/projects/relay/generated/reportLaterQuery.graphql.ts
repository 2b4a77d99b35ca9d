/**
 * @generated SignedSource<<dbc14e7f104dd20ea68fa881aafcb666>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import type { ConcreteRequest } from 'relay-runtime';
import type { FragmentRefs } from "relay-runtime";
export type reportLaterQuery$variables = Record<PropertyKey, never>;
export type reportLaterQuery$data = {
  readonly missions: {
    readonly totalCount: number | null | undefined;
  } | null | undefined;
  readonly " $fragmentSpreads": FragmentRefs<"reportLater_report">;
};
export type reportLaterQuery = {
  response: reportLaterQuery$data;
  variables: reportLaterQuery$variables;
};

const node: ConcreteRequest = (function(){
var v0 = {
  "alias": null,
  "args": [
    {
      "kind": "Literal",
      "name": "first",
      "value": 1
    }
  ],
  "concreteType": "MissionConnection",
  "kind": "LinkedField",
  "name": "missions",
  "plural": false,
  "selections": [
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "totalCount",
      "storageKey": null
    }
  ],
  "storageKey": "missions(first:1)"
};
return {
  "fragment": {
    "argumentDefinitions": [],
    "kind": "Fragment",
    "metadata": null,
    "name": "reportLaterQuery",
    "selections": [
      (v0/*:: as any*/),
      {
        "kind": "Defer",
        "selections": [
          {
            "args": null,
            "kind": "FragmentSpread",
            "name": "reportLater_report"
          }
        ]
      }
    ],
    "type": "Query",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": [],
    "kind": "Operation",
    "name": "reportLaterQuery",
    "selections": [
      (v0/*:: as any*/),
      {
        "if": null,
        "kind": "Defer",
        "label": "reportLaterQuery$defer$report",
        "selections": [
          {
            "alias": null,
            "args": [
              {
                "kind": "Literal",
                "name": "startDate",
                "value": "2026-10-01"
              }
            ],
            "concreteType": "ChargesBreakdown",
            "kind": "LinkedField",
            "name": "chargesBreakdown",
            "plural": false,
            "selections": [
              {
                "alias": null,
                "args": null,
                "kind": "ScalarField",
                "name": "currency",
                "storageKey": null
              }
            ],
            "storageKey": "chargesBreakdown(startDate:\"2026-10-01\")"
          }
        ]
      }
    ]
  },
  "params": {
    "cacheID": "56ac3e54f037f0e045384adde34ac848",
    "id": null,
    "metadata": {},
    "name": "reportLaterQuery",
    "operationKind": "query",
    "text": "query reportLaterQuery {\n  missions(first: 1) {\n    totalCount\n  }\n  ...reportLater_report @defer(label: \"reportLaterQuery$defer$report\")\n}\n\nfragment reportLater_report on Query {\n  chargesBreakdown(startDate: \"2026-10-01\") {\n    currency\n  }\n}\n"
  }
};
})();

(node as any).hash = "5e4a2b7f22de3e9ba28e90b497dc07e6";

export default node;
