import { keptReports, storeWriteMs } from '../../bounds.ts';
import { keyOf } from './key.ts';
import type { RedisLink } from './link.ts';
import { dropReportsScript, putReportScript } from './scripts.ts';
import type { ReportStore } from '../shared-store.ts';

/** Reports in Redis: a hash for each caller, which goes as a whole where the caller has too many of them. */
export function createReports(link: RedisLink): ReportStore {
  const keyFor = (caller: string): string => keyOf('reports', caller);
  return {
    async get(caller, report) {
      const sealed = await link.send('reports', ['HGET', keyFor(caller), report]);
      return Buffer.isBuffer(sealed) ? sealed : null;
    },
    put(caller, report, sealed, keepMs) {
      const rest = [report, sealed, String(keepMs), String(keptReports)];
      void link.send('reports', ['EVAL', putReportScript, '1', keyFor(caller), ...rest], storeWriteMs);
    },
    drop(caller, beginning) {
      if (beginning === '') void link.send('reports', ['DEL', keyFor(caller)]);
      else void link.send('reports', ['EVAL', dropReportsScript, '1', keyFor(caller), beginning]);
    },
  };
}
