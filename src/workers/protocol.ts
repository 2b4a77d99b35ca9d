import type { AppConfig } from '../config.ts';
import type { Claim, FeedLook, Notice } from '../fleet/shared-store.ts';
import type { PageContents } from '../explorer/page-server.ts';
import type { MetricsSnapshot } from '../telemetry/metrics.ts';

/** What a worker is given when it starts: its own part of the settings. */
export interface WorkerStart {
  readonly config: AppConfig;
  readonly isSandbox: boolean;
}

/** The addresses of a worker that listens. */
export interface Listening {
  readonly url: string;
  readonly adminUrl: string | null;
  readonly hasTrusted: boolean;
}

/** What a worker tells the main thread, and asks of it. */
export interface MainFunctions {
  listens(listening: Listening): void;
  /** The worker cannot start; the message is one line for operators. */
  cannotStart(message: string): void;
  /** After a failure that nothing has handled, the worker ends as soon as its requests have; others go on. */
  leaves(nothing: null): void;
  /** Lines of the log. Resolves when they have been taken over. */
  log(lines: string): Promise<void>;
  /** The metrics of all workers as Prometheus text. */
  printMetrics(nothing: null): Promise<{ readonly text: string; readonly contentType: string }>;
  /** See Notices and FeedStore in src/fleet/shared-store.ts. */
  sendNotice(told: { readonly notice: Notice; readonly keepMs: number }): void;
  lookAtFeed(asked: { readonly feed: string; readonly claim: Claim; readonly after: string | null }): FeedLook;
  renewFeed(renewed: { readonly feed: string; readonly claim: Claim; readonly entry: Uint8Array | null }): boolean;
  releaseFeed(released: { readonly feed: string; readonly token: string }): void;
  /** The pages, packed. */
  packPages(contents: PageContents): Promise<Uint8Array>;
}

/** What the main thread asks of a worker. */
export interface WorkerFunctions {
  /** Resolves when the worker accepts no more connections. */
  retire(nothing: null): Promise<void>;
  /** Resolves when all requests have ended and the log is written; the thread ends then. */
  close(nothing: null): Promise<void>;
  rereadTrusted(nothing: null): Promise<void>;
  /** What other workers tell. */
  notice(notice: Notice): void;
  wakeFeed(feed: string): void;
  /** A sign of life. */
  ping(nothing: null): void;
  snapshot(nothing: null): Promise<MetricsSnapshot>;
}
