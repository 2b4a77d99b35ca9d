import type { Contender } from '../contenders.ts';
import { compareAnswers } from './compared.ts';
import { Client } from '../load/exchange.ts';
import type { LoopDelay } from '../measure/loop-delay.ts';
import { cpuMicrosOf, peakResidentOf } from '../measure/process-tree.ts';
import { breakdownPage } from '../queries.ts';
import { startContender, type Running, type Stage } from '../stage.ts';

/** The figures of paging through a report of 20,000 numbers. */
export interface BreakdownFigures {
  readonly contender: string;
  readonly onePageMs: number;
  readonly onePageCpuMs: number;
  readonly pages: number;
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly calls: number;
  readonly loop: LoopDelay | null;
  /** The first page of a report that nobody has asked for before; the loop's delay meanwhile. */
  readonly freshMs: number;
  readonly freshLoop: LoopDelay | null;
  readonly peakMebibytes: number;
}

const onePageRounds = 12;

// Each makes a report of its own of the large period, which is as long as that.
const freshEnds = Array.from({ length: 12 }, (_, index) => `2026-10-${String(index + 10)}`);

interface Page {
  readonly endCursor: string | null;
  readonly hasNextPage: boolean;
}

const pageInfoIn = (body: Buffer): Page => {
  const text = body.toString();
  const endCursor = /"endCursor":"([^"]+)"/.exec(text)?.[1] ?? null;
  return { endCursor, hasNextPage: text.includes('"hasNextPage":true') };
};

/** Reads the report to its end; the floor has no pages, and gets as many requests as there would be pages. */
async function readAll(client: Client, contender: Contender, pages: number): Promise<Buffer[]> {
  const bodies: Buffer[] = [];
  let after: string | null = null;
  while (bodies.length < pages) {
    const body = await client.read(contender.asks(breakdownPage, after === null ? {} : { after }));
    bodies.push(body);
    if (!contender.isGraphql) continue;
    const { endCursor, hasNextPage } = pageInfoIn(body);
    if (!hasNextPage) break;
    after = endCursor;
  }
  return bodies;
}

async function figuresOf(stage: Stage, running: Running, check: (page: number, body: Buffer) => void) {
  const { contender, pid } = running;
  const client = new Client(running.origin, { connections: 1, keys: 1 });
  const mostPages = 40;
  // The first pass warms up, and its responses are compared.
  for (const [page, body] of (await readAll(client, contender, mostPages)).entries()) check(page, body);

  let started = performance.now();
  let cpu = cpuMicrosOf(pid);
  for (let round = 0; round < onePageRounds; round++) await client.read(contender.asks(breakdownPage));
  const onePageMs = (performance.now() - started) / onePageRounds;
  const onePageCpuMs = (cpuMicrosOf(pid) - cpu) / 1_000 / onePageRounds;

  await running.loopDelay();
  await stage.countCalls();
  started = performance.now();
  cpu = cpuMicrosOf(pid);
  const pages = (await readAll(client, contender, mostPages)).length;
  const wallMs = performance.now() - started;
  const cpuMs = (cpuMicrosOf(pid) - cpu) / 1_000;
  const calls = await stage.countCalls();
  const loop = await running.loopDelay();
  started = performance.now();
  for (const endDate of freshEnds) await client.read(contender.asks(breakdownPage, { endDate }));
  const freshMs = (performance.now() - started) / freshEnds.length;
  const freshLoop = await running.loopDelay();
  await client.close();
  const peakMebibytes = peakResidentOf(pid);
  const all = { pages, wallMs, cpuMs, calls, loop };
  return { contender: contender.name, onePageMs, onePageCpuMs, ...all, freshMs, freshLoop, peakMebibytes };
}

/** Pages through a report of 20,000 numbers by 500, one contender after the other, on one connection. */
export async function runBreakdownPages(
  stage: Stage,
  chosen: readonly Contender[],
): Promise<readonly BreakdownFigures[]> {
  const comparisons = Array.from({ length: 40 }, (_, page) => compareAnswers(`page ${page + 1} of the breakdown`));
  const all: BreakdownFigures[] = [];
  for (const contender of chosen.filter(({ hasReportPages }) => hasReportPages)) {
    const running = await startContender(stage, contender);
    try {
      all.push(await figuresOf(stage, running, (page, body) => comparisons[page]?.take(contender, body)));
    } finally {
      await running.stop();
    }
  }
  return all;
}
