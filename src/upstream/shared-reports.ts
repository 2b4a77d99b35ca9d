import type { ReceivedBody } from './response/received-body.ts';

/** The caller of a report: the key opens it, the identity names the caller in this process. */
export interface ReportCaller {
  readonly key: string;
  readonly identity: string;
}

/** A report of one caller: its endpoint, and the path and query string of its call. */
export interface ReportName {
  readonly endpoint: string;
  readonly path: string;
}

/** A report that another replica has read, as the body of its response. */
export interface SharedReport {
  readonly body: Buffer;
  /** For how long it may still be kept, in milliseconds. */
  readonly leftMs: number;
}

/** The reports that all replicas keep for each other. Nothing here fails: what cannot be shared is read from the API. */
export interface SharedReports {
  /** Null where no replica keeps it. Takes fifty milliseconds at most. */
  find(caller: ReportCaller, name: ReportName): Promise<SharedReport | null>;
  /** Keeps the body of a report for all replicas. */
  keep(caller: ReportCaller, name: ReportName, body: ReceivedBody): void;
  /** Forgets a report that turned out to be none. */
  drop(caller: ReportCaller, name: ReportName): void;
  /** Forgets the reports of a refused caller here and everywhere: after a 401 all, after a 403 those of the endpoint. */
  refuse(caller: ReportCaller, status: 401 | 403, endpoint: string): void;
  /** Runs when another replica has seen a caller refused. */
  watchRefusals(run: (identity: string, status: 401 | 403, endpoint: string) => void): void;
}
