import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { install } from './install.ts';

// The transcoder's WebAssembly is committed: nobody needs its compiler to run the gateway. `build` writes it anew; `check` fails
// where it is not what its source compiles to. Its compiler is in a folder of its own.
const source = fileURLToPath(new URL('../src/transcoder/', import.meta.url));
const packages = '.ci/transcoder';
const committed = join(source, 'transcoder.wasm');
const options =
  '--optimizeLevel 3 --shrinkLevel 0 --converge --noAssert --runtime stub --enable simd --initialMemory 96 --maximumMemory 96';

function compileTo(file: string): void {
  const compiler = fileURLToPath(new URL('transcoder/node_modules/assemblyscript/bin/asc.js', import.meta.url));
  const args = [compiler, 'assembly/index.ts', ...options.split(' '), '--outFile', file];
  execFileSync(process.execPath, args, { cwd: source, stdio: 'inherit' });
}

await install(packages);
if (process.argv[2] === 'build') compileTo(committed);
else {
  const scratch = mkdtempSync(join(tmpdir(), 'transcoder-'));
  try {
    const fresh = join(scratch, 'transcoder.wasm');
    compileTo(fresh);
    if (!readFileSync(fresh).equals(readFileSync(committed))) {
      console.log('The committed transcoder is not that of its source. Write it anew: npm run codegen');
      process.exitCode = 1;
    }
  } finally {
    rmSync(scratch, { recursive: true });
  }
}
