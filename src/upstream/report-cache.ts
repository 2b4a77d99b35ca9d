export interface ReportCacheOptions {
  /** How long a report is kept, in milliseconds; 0 keeps none. */
  readonly keepMs: number;
  /** How much is kept at most, in bytes of the bodies that were read. */
  readonly mostBytes: number;
}

/**
 * Reports as they were read, for as long as somebody may be paging through them: the upstream sends a report whole, and to
 * read its body takes a hundred times longer than to cut a page from it.
 */
export interface ReportCache {
  /** Undefined where it is not kept. The key must name the caller. */
  get(key: string): unknown;
  /** The oldest make room; what is larger than all the room is not kept. */
  keep(key: string, report: unknown, bytes: number): void;
}

interface Entry {
  readonly report: unknown;
  readonly bytes: number;
  readonly timer: NodeJS.Timeout;
}

/** Makes an empty one; its timers do not keep the process alive. */
export function createReportCache({ keepMs, mostBytes }: ReportCacheOptions): ReportCache {
  const entries = new Map<string, Entry>();
  let held = 0;

  function remove(key: string): void {
    const entry = entries.get(key);
    if (entry === undefined) return;
    clearTimeout(entry.timer);
    entries.delete(key);
    held -= entry.bytes;
  }

  return {
    get: (key) => entries.get(key)?.report,
    keep(key, report, bytes) {
      if (keepMs === 0 || bytes > mostBytes) return;
      remove(key);
      // From its reading on, however often it is asked for: nobody sees a report that is older.
      const timer = setTimeout(() => remove(key), keepMs).unref();
      entries.set(key, { report, bytes, timer });
      held += bytes;
      for (const oldest of entries.keys()) {
        if (held <= mostBytes) break;
        remove(oldest);
      }
    },
  };
}
