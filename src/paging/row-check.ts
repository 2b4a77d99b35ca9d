import type { RowRange } from './page-judgement.ts';
import { nameOfRow } from './row-identity.ts';
import type { Source } from './source.ts';

type Identify<Row> = Pick<Source<Row>, 'identityOf'>;

/** Whether a row stands at two positions, or two rows at one. */
export function isMixed<Row>(parts: readonly RowRange<Row>[], { identityOf }: Identify<Row>): boolean {
  if (parts.length < 2) return false;
  const positions = new Map<string, number>();
  const identities = new Map<number, string>();
  return parts.some(({ from, rows }) =>
    rows.some((row, index) => {
      const identity = identityOf(row);
      if (identity === null) return false;
      const position = from + index;
      const isElsewhere = (positions.get(identity) ?? position) !== position;
      const isOther = (identities.get(position) ?? identity) !== identity;
      positions.set(identity, position);
      identities.set(position, identity);
      return isElsewhere || isOther;
    }),
  );
}

/** Whether one of the rows is there twice. */
export function holdsTwice<Row>(rows: readonly Row[], { identityOf }: Identify<Row>): boolean {
  const identities = rows.map((row) => identityOf(row)).filter((identity) => identity !== null);
  return new Set(identities).size < identities.length;
}

/** Whether a list begins with these rows. */
export function beginsWith<Row>(head: readonly Row[], rows: readonly Row[], source: Identify<Row>): boolean {
  return rows.every((row, index) => {
    const first = head[index];
    return first !== undefined && nameOfRow(source, first) === nameOfRow(source, row);
  });
}
