import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

// The transcoder's WebAssembly is committed: nobody needs its compiler to run the gateway. `build` writes it anew; `check` fails
// where it is not what its source compiles to. The compiler is installed beside the other caches, and not below src/.
const source = fileURLToPath(new URL('../src/transcoder/', import.meta.url));
const packages = fileURLToPath(new URL('transcoder/', import.meta.url));
const cache = fileURLToPath(new URL('../node_modules/.cache/transcoder/', import.meta.url));
const committed = join(source, 'transcoder.wasm');
const options =
  '--optimizeLevel 3 --shrinkLevel 0 --converge --noAssert --runtime stub --enable simd --initialMemory 96 --maximumMemory 96';

function install(): void {
  const lock = 'package-lock.json';
  const isInstalled =
    existsSync(join(cache, lock)) && readFileSync(join(cache, lock)).equals(readFileSync(join(packages, lock)));
  if (isInstalled && existsSync(join(cache, 'node_modules'))) return;
  mkdirSync(cache, { recursive: true });
  for (const name of ['package.json', lock]) copyFileSync(join(packages, name), join(cache, name));
  const args = ['--prefix', cache, '--silent', 'ci', '--ignore-scripts', '--no-audit', '--no-fund'];
  execFileSync('npm', args, { stdio: 'inherit' });
}

function compileTo(file: string): void {
  const compiler = join(cache, 'node_modules/assemblyscript/bin/asc.js');
  const args = [compiler, 'assembly/index.ts', ...options.split(' '), '--outFile', file];
  execFileSync(process.execPath, args, { cwd: source, stdio: 'inherit' });
}

install();
if (process.argv[2] === 'build') compileTo(committed);
else {
  const scratch = mkdtempSync(join(tmpdir(), 'transcoder-'));
  try {
    const fresh = join(scratch, 'transcoder.wasm');
    compileTo(fresh);
    if (!readFileSync(fresh).equals(readFileSync(committed))) {
      console.log('The committed transcoder is not that of its source. Write it anew: npm run build:transcoder');
      process.exitCode = 1;
    }
  } finally {
    rmSync(scratch, { recursive: true });
  }
}
