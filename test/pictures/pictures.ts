import { mkdirSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { startChromium, type Chromium, type Page } from '../pages/browser/chromium.ts';
import { startPictureGateway } from './gateway.ts';
import { folder, pictureFiles, writeManifest } from './manifest.ts';
import { recipes, schemes, type Recipe } from './recipes.ts';
import { hashShown } from './shown.ts';

/** Makes all pictures, and notes what they show. */
export async function makePictures(): Promise<void> {
  mkdirSync(folder, { recursive: true });
  await using ends = new AsyncDisposableStack();
  const gateway = await startPictureGateway();
  ends.defer(() => gateway.close());
  const chromium = await startChromium();
  ends.defer(() => chromium.close());
  for (const recipe of recipes) await capture(recipe, gateway.url, chromium);
  writeManifest(await hashShown(gateway.url));
  for (const name of pictureFiles())
    console.log(`${name}: ${Math.ceil(statSync(new URL(name, folder)).size / 1_000)} kB`);
}

/** Readers see them on about 900 pixels, many with two points each. */
const scale = 1.25;

/** Takes the pictures of a page in both schemes. */
async function capture(recipe: Recipe, gateway: string, { context }: Chromium): Promise<void> {
  for (const colorScheme of schemes) {
    const page = await context.newPage();
    const { size } = recipe;
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await recipe.prepare(page, { gateway });
    await page.mouse.move(size.width - 1, size.height - 1);
    // What is still fading in has no event.
    await page.waitForTimeout(1_000);
    await writeFile(new URL(`${recipe.name}-${colorScheme}.webp`, folder), await webpOf(page, size));
    await page.close();
  }
}

/** Playwright has no WebP, which takes a fifth of a PNG here. */
async function webpOf(page: Page, size: Recipe['size']): Promise<Buffer> {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', {
    format: 'webp',
    quality: 80,
    clip: { x: 0, y: 0, ...size, scale },
  });
  return Buffer.from(data, 'base64');
}
