import { createHash } from 'node:crypto';
import { request } from 'undici';
import type { Contender } from '../contenders.ts';
import { Client } from '../load/exchange.ts';
import { quantile } from '../measure/figures.ts';
import { cpuMicrosOf, peakResidentOf } from '../measure/process-tree.ts';
import { exportPath, hugePeriod, largePeriod } from '../queries.ts';
import { startContender, type Running, type Stage } from '../stage.ts';

/** The figures of the CSV export of one period. */
export interface ExportFigures {
  readonly report: string;
  readonly contender: string;
  readonly bytes: number;
  readonly mebibytesPerSecond: number;
  readonly cpuMsPerMebibyte: number;
  readonly idleMebibytes: number;
  readonly peakMebibytes: number;
}

const reports = [
  { report: '20,000 numbers', period: largePeriod, rounds: 30 },
  { report: '200 MiB', period: hugePeriod, rounds: 2 },
] as const;

async function hashOf(origin: string, path: string): Promise<string> {
  const { statusCode, body } = await request(origin + path, { headers: { authorization: 'Bearer bench-key' } });
  if (statusCode !== 200) throw new Error(`${path} answered ${statusCode}: ${(await body.text()).slice(0, 1_000)}`);
  const hash = createHash('sha1');
  for await (const chunk of body as AsyncIterable<Buffer>) hash.update(chunk);
  return hash.digest('hex');
}

async function figuresOf(
  running: Running,
  { report, period, rounds }: (typeof reports)[number],
): Promise<ExportFigures> {
  const client = new Client(running.origin, { connections: 1, keys: 1 });
  const asked = { path: exportPath(period), method: 'GET', body: null } as const;
  await client.send(asked);
  const times: number[] = [];
  let bytes = 0;
  const cpu = cpuMicrosOf(running.pid);
  for (let round = 0; round < rounds; round++) {
    const told = await client.send(asked);
    if (told.status !== 200) throw new Error(`the export answered ${told.status}`);
    times.push(told.milliseconds);
    ({ bytes } = told);
  }
  const cpuMs = (cpuMicrosOf(running.pid) - cpu) / 1_000;
  await client.close();
  const mebibytes = bytes / 1_048_576;
  const medianMs = quantile(
    times.sort((a, b) => a - b),
    0.5,
  );
  return {
    report,
    contender: running.contender.name,
    bytes,
    mebibytesPerSecond: (mebibytes / medianMs) * 1_000,
    cpuMsPerMebibyte: cpuMs / (mebibytes * rounds),
    idleMebibytes: running.idleMebibytes,
    peakMebibytes: peakResidentOf(running.pid),
  };
}

/** Downloads the report as CSV from each contender that streams it, in processes of their own. */
export async function runExport(stage: Stage, chosen: readonly Contender[]): Promise<readonly ExportFigures[]> {
  const all: ExportFigures[] = [];
  for (const one of reports) {
    const hashes = new Set<string>();
    for (const contender of chosen.filter(({ hasExport }) => hasExport)) {
      const running = await startContender(stage, contender);
      try {
        hashes.add(await hashOf(running.origin, exportPath(one.period)));
        if (hashes.size > 1) throw new Error(`${contender.title} exports other bytes than those before it.`);
        all.push(await figuresOf(running, one));
      } finally {
        await running.stop();
      }
    }
  }
  return all;
}
