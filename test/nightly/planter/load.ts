import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { takeCoverage } from 'node:v8';

// Loaded before anything else in every process of a run of tests: one module of ours is read with a fault in it.
// A worker of vitest is killed half a second after it was told to stop, and then may have written little of what it has executed.
if (process.env['NODE_V8_COVERAGE'] !== undefined && process.argv[1]?.includes('/vitest/') === true)
  process.on('message', (message: { readonly type?: unknown }) => {
    if (message.type === 'stop') takeCoverage();
  });

const planted = process.env['MUTANT'];
if (planted !== undefined) {
  const { url, start, end, replacement } = JSON.parse(planted) as {
    url: string;
    start: number;
    end: number;
    replacement: string;
  };
  registerHooks({
    load(asked, context, nextLoad) {
      if (asked.split('?')[0] !== url) return nextLoad(asked, context);
      const text = readFileSync(fileURLToPath(url), 'utf8');
      const source = text.slice(0, start) + replacement + text.slice(end);
      return { format: 'module-typescript', source, shortCircuit: true };
    },
  });
}
