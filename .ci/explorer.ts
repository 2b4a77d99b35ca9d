import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

// `npm ci` builds the web app of explorer/ by this (its script `prepare`), and `npm run package` builds it into the package. An
// installation without packages for development has nothing to build it with, and does without.
const root = fileURLToPath(new URL('../explorer/', import.meta.url));

/** Builds the app into a folder: `assets/`, whose files are named by their contents, and a list of them. */
export async function buildExplorer(folder: string): Promise<void> {
  // Whoever builds: a build for tests would hold paths of this machine.
  process.env['NODE_ENV'] = 'production';
  const [{ build }, { default: react }] = await Promise.all([import('vite'), import('@vitejs/plugin-react')]);
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    plugins: [react()],
    build: {
      outDir: folder,
      emptyOutDir: true,
      manifest: 'manifest.json',
      modulePreload: { polyfill: false },
      // The policy of the page takes letters and pictures out of the style.
      assetsInlineLimit: 1e6,
      chunkSizeWarningLimit: 1e4,
      rolldownOptions: { input: `${root}main.tsx` },
    },
  });
}

if (import.meta.main) {
  try {
    import.meta.resolve('vite');
  } catch {
    process.exit();
  }
  // npm runs this for each project that has this one as `file:` too, perhaps beside a gateway that reads the pages: no file of theirs is
  // ever missing or half written. Names of assets tell their contents, so those that are there already stay.
  const served = `${root}dist`;
  mkdirSync(served, { recursive: true });
  const built = mkdtempSync(`${served}/.built-`);
  await buildExplorer(built);
  cpSync(`${built}/assets`, `${served}/assets`, { recursive: true, force: false });
  renameSync(`${built}/manifest.json`, `${served}/manifest.json`);
  rmSync(built, { recursive: true });
}
