import { readFileSync, writeFileSync } from 'node:fs';
import { computedPage } from './page.ts';
import { readMeasured } from './results.ts';

// `npm --prefix bench run capacity` computes the tables of bench/capacity.md from results/.

const page = new URL('../capacity.md', import.meta.url);
writeFileSync(page, computedPage(readFileSync(page, 'utf8'), readMeasured()));
