import { readFileSync, writeFileSync } from 'node:fs';
import { writeCharts } from '../report/results.ts';
import { blocksOf } from './blocks.ts';
import { readMeasured } from './measured.ts';
import { filledPage } from './page.ts';

// `npm --prefix bench run readme` writes the figures of results/ into the README here and into that of the project, and draws the chart.

const measured = readMeasured();
const blocks = blocksOf(measured);
for (const path of ['../README.md', '../../README.md']) {
  const page = new URL(path, import.meta.url);
  writeFileSync(page, filledPage(readFileSync(page, 'utf8'), blocks));
}
writeCharts('chart', measured.latest);
