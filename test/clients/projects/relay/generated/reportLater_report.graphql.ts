/**
 * @generated SignedSource<<3d8025242ec2f3aa1e53f3fa5cd7d171>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import type { ReaderFragment } from 'relay-runtime';
import type { FragmentRefs } from "relay-runtime";
export type reportLater_report$data = {
  readonly chargesBreakdown: {
    readonly currency: string | null | undefined;
  } | null | undefined;
  readonly " $fragmentType": "reportLater_report";
};
export type reportLater_report$key = {
  readonly " $data"?: reportLater_report$data;
  readonly " $fragmentSpreads": FragmentRefs<"reportLater_report">;
};

const node: ReaderFragment = {
  "argumentDefinitions": [],
  "kind": "Fragment",
  "metadata": null,
  "name": "reportLater_report",
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
  ],
  "type": "Query",
  "abstractKey": null
};

(node as any).hash = "4c4e809738b9c078a057a5312f63717d";

export default node;
