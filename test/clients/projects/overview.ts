import { expect } from 'vitest';

type Line =
  | { readonly __typename: 'SimpleLine'; readonly amount: string }
  | { readonly __typename: 'ComparativeLine'; readonly existingThisMonth: { readonly mrc: string } };

interface Mission {
  readonly id: string | null;
  readonly createdAt: string | null;
  readonly metadata: unknown;
}

/** What every client here reads, with the types that it should have made of the schema. */
export interface Overview {
  readonly chargesSummary: {
    readonly total: { readonly grandTotal: string };
    readonly summary: { readonly lines: readonly (Line | null)[] };
  } | null;
  readonly missions: {
    readonly totalCount: number | null;
    readonly edges: readonly { readonly node: Mission | null }[];
  } | null;
}

/** The period of which the sandbox has a bill with lines of both shapes. */
export const october = { startDate: '2026-10-01', endDate: '2026-11-01' } as const;

/** A key whose account has no billing: its charges fail, and nothing else. */
export const unknownAccountKey = 'unknown-account-key';

/** What the gateway reports of the charges of that account. */
export const refusal = {
  message: 'The user account was not found.',
  path: ['chargesSummary'],
  extensions: { code: 'UNPROCESSABLE_ENTITY', retryable: false },
} as const;

/** Expects a bill with lines of both shapes, whose amounts are texts, and the newest missions. */
export function expectOverview({ chargesSummary, missions }: Overview): void {
  expect(chargesSummary?.total.grandTotal).toBe('4696.5205');
  const lines = chargesSummary?.summary.lines ?? [];
  const simple = lines.flatMap((line) => (line?.__typename === 'SimpleLine' ? [line.amount] : []));
  const comparative = lines.flatMap((line) =>
    line?.__typename === 'ComparativeLine' ? [line.existingThisMonth.mrc] : [],
  );
  for (const amounts of [simple, comparative]) {
    expect(amounts).not.toEqual([]);
    for (const amount of amounts) expect(amount).toMatch(/^-?\d+(\.\d+)?$/);
  }
  expect(missions?.totalCount).toBe(230);
  expect(missions?.edges[0]?.node).toMatchObject({
    createdAt: '2026-10-31T10:45:23.877120Z',
    metadata: { region: 'amer' },
  });
}

/** The identifiers of a page's missions. */
export const idsOf = ({ missions }: Pick<Overview, 'missions'>): readonly unknown[] =>
  (missions?.edges ?? []).map(({ node }) => node?.id);
