import * as records from '../../support/records.ts';
import { pageReply, type Script } from '../../support/scripted-upstream.ts';
import type { Took } from './two-ways.ts';

/** A small operation with what the upstream says to it; each stands for a way in which two executors may come to differ. */
export interface Fixture {
  readonly name: string;
  readonly query: string;
  readonly operationName?: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  /** By path; all else is answered by an upstream in good health. */
  readonly replies?: Readonly<Record<string, Script>>;
  readonly key?: null;
  /** Who is to answer it. */
  readonly took: Took;
  /** The data to the byte, where it is small. */
  readonly data?: string;
}

/** An upstream that fails. */
export const fails: Script = () => ({ status: 500, text: 'oops' });
/** An upstream whose list has these rows. */
export const list =
  (...rows: readonly unknown[]): Script =>
  (request) =>
    pageReply(rows, request);
/** A mission as it should be. */
export const good = records.missionRecord();
/** The replies of an upstream with these missions. */
export const missions = (...rows: readonly unknown[]) => ({ '/ai/missions': list(...rows) });
/** The arguments of a report that need no more care. */
export const period = '(startDate: "2026-10-01", endDate: "2026-11-01")';

/** A list that comes in pages of two, with one row on two of them, so that its reader takes it for moving and reads it again. */
export function restless(row: (index: number) => unknown): Script {
  return (request) => pageReply([row(0), row(1), row(1), row(2), row(3)], request, 2);
}
