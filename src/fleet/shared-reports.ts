import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import type { BodyChunks } from '../body-chunks.ts';
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

/** Milliseconds for which a refusal is believed: they come at once, clocks agree within a second, and nobody may send an old one again. */
export const refusalBelievedMs = 10_000;

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);
const timeBytes = 8;
const endpointLength = 8;

/** A report's name in the store. */
function nameIn(secrets: CallerSecrets, { endpoint, target }: Call<unknown>): string {
  return secrets.nameOf(`endpoint ${endpoint.name}`).slice(0, endpointLength) + secrets.nameOf(`report ${target}`);
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
): SharedReports {
  let underWay = 0;

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

  async function keep(
    caller: CallerKey,
    call: Call<unknown>,
    body: BodyChunks,
    isStillKept: () => boolean,
  ): Promise<void> {
    if (reports === null || body.length > sharedReportBody) return;
    const time = Buffer.alloc(timeBytes);
    time.writeDoubleBE(Date.now() + keepMs);
    const compressed = await within(() => compress(body.whole));
    if (compressed === null || compressed.length > sharedReport || !isStillKept()) return;
    const secrets = secretsOf(caller);
    const storedName = nameIn(secrets, call);
    const sealed = secrets.seal(`report ${storedName}`, Buffer.concat([time, compressed]));
    reports.put(secrets.name, storedName, sealed, keepMs);
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
      const leftMs = Math.min(keepMs, opened.readDoubleBE() - Date.now());
      if (!(leftMs > 0)) return null;
      const maxOutputLength = sharedReportBody;
      const body = await within(() => decompress(opened.subarray(timeBytes), { maxOutputLength }));
      return body === null ? null : { body, leftMs };
    },
    keep: (...report) => void keep(...report),
    drop(caller, call) {
      const secrets = secretsOf(caller);
      reports?.drop(secrets.name, nameIn(secrets, call));
    },
    refuse(caller, status, endpoint) {
      const secrets = secretsOf(caller);
      reports?.drop(secrets.name, null);
      const value = secrets.sealText('refusal', `${Date.now()} ${status} ${endpoint}`);
      notices.send({ kind: 'refusal', name: secrets.name, value });
    },
    watchRefusals(run) {
      notices.watch(({ kind, name, value }) => {
        const caller = kind === 'refusal' ? secretsOf.named(name) : undefined;
        if (caller === undefined) return;
        const [sentAt, status, ...endpoint] = caller.secrets.openText('refusal', value).split(' ');
        if (!(Math.abs(Date.now() - Number(sentAt)) < refusalBelievedMs)) return;
        run(caller.identity, status === '401' ? 401 : 403, endpoint.join(' '));
      });
    },
  };
}
