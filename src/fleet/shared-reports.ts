import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import type { BodyChunks } from '../body-chunks.ts';
import { fleetCallers } from '../bounds.ts';
import type { Call } from '../upstream/call.ts';
import type { CallerKey } from '../upstream/credential.ts';
import type { SharedReports } from '../upstream/shared-answers.ts';
import type { CallerSecrets, SecretsOf } from './caller-secrets.ts';
import type { SharedStore } from './shared-store.ts';

/** Bytes of a report in the store, sealed: it has to come within the time that a request waits for it. */
const sharedReport = 1_048_576;

/** Bytes of a shared report as it was read: rows compress to a tenth, and what is opened has to fit into memory. */
const sharedReportBody = 8_388_608;

/** Shared reports that one worker seals or opens at a time, by threads of its own. Others are not shared, or are read from the API. */
const reportsUnderWay = 8;

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);
const timeBytes = 8;
const endpointLength = 8;

/** A report's name in the store; all of one endpoint begin alike. */
function nameIn(secrets: CallerSecrets, { endpoint, target }: Call<unknown>): string {
  return beginningOf(secrets, endpoint.name) + secrets.nameOf(`report ${target}`);
}

function beginningOf(secrets: CallerSecrets, endpoint: string): string {
  return secrets.nameOf(`endpoint ${endpoint}`).slice(0, endpointLength);
}

/**
 * Reports in the store, each compressed, then sealed with its caller's key together with the moment until which it may be kept.
 * Compression shows something of a content by its length only to somebody who can add to that content again and again: a report
 * holds what the API bills its caller for, no text of anybody else. Refusals are shared also where the store takes no reports.
 */
export function createSharedReports(
  { reports, notices }: SharedStore,
  secretsOf: SecretsOf,
  keepMs: number,
  countUnusable: () => void,
  now = (): number => Date.now(),
): SharedReports {
  let underWay = 0;
  let refusals = 0;
  /** The number of each caller's last refusal, by name in the store. */
  const lastRefusal = new LRUCache<string, number>({ max: fleetCallers });

  /** Does a piece of work that takes memory and time, unless too much of it is under way. */
  async function within<Value>(act: () => Promise<Value>): Promise<Value | null> {
    if (underWay >= reportsUnderWay) return null;
    underWay++;
    try {
      return await act();
    } catch {
      return null;
    } finally {
      underWay--;
    }
  }

  async function keep(caller: CallerKey, call: Call<unknown>, body: BodyChunks): Promise<void> {
    if (reports === null || body.length > sharedReportBody) return;
    const until = now() + keepMs;
    const secrets = secretsOf(caller);
    const before = refusals;
    const compressed = await within(() => compress(body.whole));
    if (compressed === null || compressed.length > sharedReport) return;
    if ((lastRefusal.get(secrets.name) ?? 0) > before) return;
    const time = Buffer.alloc(timeBytes);
    time.writeDoubleBE(until);
    const storedName = nameIn(secrets, call);
    reports.put(
      secrets.name,
      storedName,
      secrets.seal(`report ${storedName}`, Buffer.concat([time, compressed])),
      keepMs,
    );
  }

  return {
    async find(caller, call) {
      if (reports === null) return null;
      const secrets = secretsOf(caller);
      const storedName = nameIn(secrets, call);
      const sealed = await reports.get(secrets.name, storedName);
      if (sealed === null) return null;
      const opened = sealed.length > 2 * sharedReport ? null : secrets.open(`report ${storedName}`, sealed);
      if (opened === null || opened.length < timeBytes) {
        countUnusable();
        return null;
      }
      // The store may keep it for longer, and clocks differ.
      const leftMs = Math.min(keepMs, opened.readDoubleBE() - now());
      if (!(leftMs > 0)) return null;
      const maxOutputLength = sharedReportBody;
      const body = await within(() => decompress(opened.subarray(timeBytes), { maxOutputLength }));
      return body === null ? null : { body, leftMs };
    },
    keep: (caller, call, body) => void keep(caller, call, body),
    drop(caller, call) {
      const secrets = secretsOf(caller);
      reports?.drop(secrets.name, nameIn(secrets, call));
    },
    refuse(caller, status, endpoint) {
      const secrets = secretsOf(caller);
      lastRefusal.set(secrets.name, ++refusals);
      reports?.drop(secrets.name, status === 401 ? '' : beginningOf(secrets, endpoint));
      notices.send({ kind: 'refusal', name: secrets.name, value: `${status} ${endpoint}` });
    },
    watchRefusals(run) {
      notices.watch(({ kind, name, value }) => {
        const [, status, endpoint = ''] = /^(401|403) (.{1,200})$/.exec(value) ?? [];
        const identity = kind === 'refusal' ? secretsOf.identityOf(name) : undefined;
        if (identity === undefined || status === undefined) return;
        lastRefusal.set(name, ++refusals);
        run(identity, status === '401' ? 401 : 403, endpoint);
      });
    },
  };
}
