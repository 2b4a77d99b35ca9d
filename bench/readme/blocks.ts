import { concernsTable } from '../report/concerns-table.ts';
import type { Machine } from '../report/machine.ts';
import { tracesTable } from '../report/traces-table.ts';
import { loadBlock, variedBlock } from './load-block.ts';
import type { Measured } from './measured.ts';
import { othersBlock } from './others-block.ts';
import type { Blocks } from './page.ts';
import { targetsBlock } from './targets-block.ts';
import { ownRange, peersRange, verdict } from './verdict.ts';

const notYet = 'Not measured yet.';

function machineText({ cpu, cores, node, date }: Machine, rounds: number): string {
  return `${cpu}, ${cores} cores, Node ${node.slice(1)}, ${date.slice(0, 10)}: medians of ${rounds} interleaved rounds, all in one run.`;
}

/** All texts of the pages that come from results. */
export function blocksOf({ latest, rounds, traces, concerns }: Measured): Blocks {
  return {
    machine: machineText(latest.machine, rounds),
    load: loadBlock(latest.load),
    varied: variedBlock(latest.load),
    verdict: verdict(latest.load),
    others: othersBlock(latest),
    targets: targetsBlock(latest),
    traces: traces === null ? notYet : tracesTable(traces),
    concerns: concerns === null ? notYet : concernsTable(concerns),
    'own-range': ownRange(latest.load),
    'peers-range': peersRange(latest.load),
  };
}
