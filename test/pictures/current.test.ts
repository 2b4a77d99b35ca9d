import { globSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startPictureGateway } from './gateway.ts';
import { folder, hashFiles, pictureFiles, readManifest } from './manifest.ts';
import { pageNames, schemes } from './recipes.ts';
import { hashShown } from './shown.ts';

const remake = 'Remake them: npm run screenshots';
const sizeOf = (name: string): number => statSync(new URL(name, folder)).size;

let gateway: Awaited<ReturnType<typeof startPictureGateway>>;
let shown: Awaited<ReturnType<typeof hashShown>>;

beforeAll(async () => {
  gateway = await startPictureGateway();
  shown = await hashShown(gateway.url);
});

afterAll(() => gateway?.close());

test.for(pageNames)('the pictures of %s show what there is now', (name) => {
  const { shows, files } = readManifest()[name] ?? { shows: '', files: {} };
  expect(shows, `docs/pictures/${name}* show how it was before a change. ${remake}`).toBe(shown[name]);
  expect(files, `docs/pictures/${name}* are not the pictures that were made. ${remake}`).toEqual(hashFiles(name));
});

test('every page has its pictures in light and dark, and no other lies about', () => {
  const pages = pageNames.flatMap((name) => schemes.map((scheme) => `${name}-${scheme}.webp`));
  expect(pictureFiles()).toEqual(pages.sort());
});

test('documents show each picture, and none that there is not', () => {
  const root = fileURLToPath(new URL('../../', import.meta.url));
  const documents = ['README.md', ...globSync(['docs/**/*.md', 'examples/*/README.md'], { cwd: root })];
  const texts = documents.map((path) => readFileSync(root + path, 'utf8')).join('\n');
  const named = [...texts.matchAll(/pictures\/([\w-]+\.(?:webp|svg))/g)].map(([, name]) => name);
  expect([...new Set(named)].sort()).toEqual(pictureFiles());
});

test('each picture has less than 150 kB, and all of them less than 1 MB', () => {
  for (const name of pictureFiles()) expect([name, sizeOf(name) < 150_000]).toEqual([name, true]);
  expect(pictureFiles().reduce((total, name) => total + sizeOf(name), 0)).toBeLessThan(1_000_000);
});
