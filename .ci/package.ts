import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildExplorer } from './explorer.ts';

// `npm run package` writes the package that `npx switchboard` runs, to dist/ or the folder that it is given; `npm pack ./dist` packs it.
// The repository's own manifest brings what only the repository needs, such as a Node.
// Node strips no types below node_modules, so they are stripped here, by the same code of Node. The layout is that of the repository:
// what is found by its place is found there too.
const root = fileURLToPath(new URL('../', import.meta.url));
const dist = process.argv[2] ?? join(root, 'dist');

interface Manifest {
  readonly [name: string]: unknown;
}

interface Lock {
  readonly packages: Readonly<
    Record<string, { readonly version: string; readonly dev?: boolean; readonly optional?: boolean }>
  >;
}

const manifestOf = (path: string): Manifest => JSON.parse(readFileSync(join(root, path), 'utf8')) as Manifest;

function write(path: string, text: string): void {
  mkdirSync(join(dist, path, '..'), { recursive: true });
  writeFileSync(join(dist, path), text);
}

/** Names of files in quotes, of imports and of programs that are started, become those of the stripped files. */
function strip(source: string): string {
  return stripTypeScriptTypes(source, { mode: 'strip' }).replace(/(['"])([\w./-]+)\.ts\1/g, '$1$2.js$1');
}

function writeSources(): void {
  for (const path of globSync('src/**/*.{ts,js,cjs,json,css,graphql,svg,wasm}', { cwd: root })) {
    // The source of the WebAssembly is compiled.
    if (path.startsWith('src/transcoder/assembly/')) continue;
    if (path.endsWith('.ts')) write(path.replace(/\.ts$/, '.js'), strip(readFileSync(join(root, path), 'utf8')));
    else if (path.endsWith('.cjs')) write(path, readFileSync(join(root, path), 'utf8').replace(/\.ts'/g, ".js'"));
    else cpSync(join(root, path), join(dist, path), { recursive: true });
  }
}

/** Writes the types of what other projects import, and of all that these name. */
function writeTypes(): void {
  const made = mkdtempSync(join(tmpdir(), 'switchboard-types-'));
  const entry = 'src/testing.ts';
  const compilerOptions = {
    declaration: true,
    emitDeclarationOnly: true,
    noEmit: false,
    rootDir: root,
    outDir: made,
    typeRoots: [join(root, 'node_modules/@types')],
  };
  const config = { extends: join(root, 'tsconfig.json'), compilerOptions, include: [], files: [join(root, entry)] };
  writeFileSync(join(made, 'tsconfig.json'), JSON.stringify(config));
  // It ends with 1, since some file that is not wanted here exports a type without a name.
  spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', made]);
  const open = [entry];
  for (const path of open) {
    const text = readFileSync(join(made, path.replace(/\.ts$/, '.d.ts')), 'utf8');
    write(path.replace(/\.ts$/, '.d.ts'), text.replace(/(['"])([\w./-]+)\.ts\1/g, '$1$2.js$1'));
    const named = [...text.matchAll(/['"](\.[\w./-]+\.ts)['"]/g)].map(([, name = '']) => join(dirname(path), name));
    open.push(...named.filter((name) => !open.includes(name)));
  }
  rmSync(made, { recursive: true });
}

function writeManifest(): void {
  const { name, version, description, license, type, engines, bin, dependencies } = manifestOf('package.json');
  const exports = { './testing': { types: './src/testing.d.ts', default: './src/testing.js' } };
  const manifest = {
    name,
    version,
    private: true,
    description,
    license,
    type,
    engines,
    bin,
    exports,
    dependencies,
    publishConfig: { provenance: true },
  };
  write('package.json', `${JSON.stringify(manifest, null, 2)}\n`);
}

interface Bom {
  readonly metadata: { readonly component: object };
  readonly components: readonly { readonly 'bom-ref': string }[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

/**
 * Lists the packages for production, as the lock has them (CycloneDX), without what differs from run to run. npm lists all packages for
 * it: with `--omit dev` it leaves out those that a package for development wants beside itself, such as graphql.
 */
function writeBom(): void {
  const options = [
    'sbom',
    '--sbom-format',
    'cyclonedx',
    '--package-lock-only',
    '--include',
    'dev',
    '--loglevel',
    'error',
  ];
  const all = JSON.parse(execFileSync('npm', options, { cwd: root, encoding: 'utf8', maxBuffer: 1e8 })) as Bom;
  const { packages } = manifestOf('package-lock.json') as unknown as Lock;
  const shipped = Object.entries(packages).filter(([, { dev, optional }]) => dev !== true && optional !== true);
  const { name, version } = manifestOf('package.json');
  const refs = new Set([
    `${name as string}@${version as string}`,
    ...shipped.map(([path, { version: of }]) => `${path.replace(/^.*node_modules\//, '')}@${of}`),
  ]);
  const components = all.components.filter((component) => refs.has(component['bom-ref']));
  const dependencies = all.dependencies.flatMap(({ ref, dependsOn }) =>
    refs.has(ref) ? [{ ref, dependsOn: dependsOn.filter((on) => refs.has(on)) }] : [],
  );
  const { component } = all.metadata;
  const format = { bomFormat: 'CycloneDX', specVersion: '1.5', version: 1 };
  const bom = { ...format, metadata: { component: { ...component, name } }, components, dependencies };
  write('sbom.cdx.json', `${JSON.stringify(bom, null, 2)}\n`);
}

rmSync(dist, { recursive: true, force: true });
writeSources();
await buildExplorer(resolve(dist, 'explorer/dist'));
writeTypes();
writeManifest();
writeBom();
cpSync(join(root, '.ci/package.md'), join(dist, 'README.md'));
for (const path of ['schema.graphql', 'CHANGELOG.md', 'docs/overview.svg', ...globSync('docs/**/*.md', { cwd: root })])
  cpSync(join(root, path), join(dist, path), { recursive: true });
