import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

// Makes all pictures of README.md and docs/ anew, and notes what they show. What it needs beyond the project's own packages, it
// installs first; so only Node's own modules may be imported before that.
for (const [place, needed] of [
  ['test', 'playwright-core'],
  ['examples/dashboard', 'vite'],
]) {
  const path = fileURLToPath(new URL(`../../${place}`, import.meta.url));
  if (!existsSync(`${path}/node_modules/${needed}`))
    execFileSync('npm', ['--prefix', path, 'ci'], { stdio: 'inherit' });
}

const { makePictures } = await import('./pictures.ts');
await makePictures();
