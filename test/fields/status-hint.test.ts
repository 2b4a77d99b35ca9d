import { describe } from 'vitest';
import { hintsPerResponse } from '../../src/bounds.ts';
import { expect, type Gateway, offFastPath, test } from '../support/gateway.ts';
import { pageReply } from '../support/scripted-upstream.ts';

const document = /* GraphQL */ `
  query ($filter: WebhookDeliveryFilter) {
    failures: webhookDeliveries(first: 3, filter: $filter) {
      nodes {
        id
      }
    }
  }
`;

async function extensionsOf(gateway: Gateway, query: string, filter?: object, extensions = {}): Promise<unknown> {
  const { text, errors } = await gateway.query(query, { variables: { filter }, extensions });
  expect(errors).toEqual([]);
  return JSON.parse(text).extensions;
}

describe('a filter by a status that matches nothing', () => {
  test.for([
    ['Failed', 'failed'],
    ['DELIVERED', 'delivered'],
  ] as const)('%s has a hint at %s, and takes no other call', async ([eq, known], { gateway, upstream }) => {
    upstream.script((request) => pageReply([], request));
    for (const [index, extensions] of [offFastPath, {}].entries()) {
      expect(await extensionsOf(gateway, document, { status: { eq } }, extensions)).toEqual({
        hints: [
          {
            message: `No delivery has the status "${eq}". The platform has the status "${known}", which differs by case alone.`,
            path: ['failures'],
            argument: ['filter', 'status', 'eq'],
            values: [known],
          },
        ],
      });
      expect(upstream.requests).toHaveLength(index + 1);
    }
  });

  test('has a hint where its length alone is asked for', async ({ gateway, upstream }) => {
    upstream.script((request) => pageReply([], request));
    const query = '{ webhookDeliveries(filter: { status: { eq: "FAILED" } }) { totalCount } }';
    expect(await extensionsOf(gateway, query)).toMatchObject({ hints: [{ path: ['webhookDeliveries'] }] });
  });

  test.for([
    [{ status: { eq: 'failed' } }],
    [{ status: { eq: 'broken' } }],
    [{ status: { eq: ' Failed' } }],
    [{}],
    [null],
  ])('%j has none where it does not differ by case alone', async ([filter], { gateway, upstream }) => {
    upstream.script((request) => pageReply([], request));
    expect(await extensionsOf(gateway, document, filter ?? undefined)).toBeUndefined();
  });

  test('has no more hints than a response may have', async ({ gateway, upstream }) => {
    upstream.script((request) => pageReply([], request));
    const fields = Array.from(
      { length: hintsPerResponse + 5 },
      (_, index) => `d${index}: webhookDeliveries(first: 1, filter: { status: { eq: "Failed" } }) { totalCount }`,
    );
    const { hints } = (await extensionsOf(gateway, `{ ${fields.join(' ')} }`)) as {
      readonly hints: readonly unknown[];
    };
    expect(hints).toHaveLength(hintsPerResponse);
  });
});

test('a filter by a status that the platform takes in any case has no hint', async ({ gateway, upstream }) => {
  upstream.script((request) => pageReply([{ id: 'a', status: 'failed' }], request));
  expect(await extensionsOf(gateway, document, { status: { eq: 'Failed' } })).toBeUndefined();
});
