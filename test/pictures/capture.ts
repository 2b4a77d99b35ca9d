import { writeFile } from 'node:fs/promises';
import type { Page } from '../pages/browser/chromium.ts';
import { folder } from './manifest.ts';
import { schemes, type PageUrls, type Recipe } from './recipes.ts';

/** Readers see them on about 900 pixels, many with two points each. */
const scale = 1.25;

/** Takes the pictures of a page in both schemes. `open` opens an empty page of the browser. */
export async function capture(recipe: Recipe, urls: PageUrls, open: () => Promise<Page>): Promise<void> {
  for (const colorScheme of schemes) {
    const page = await open();
    const { size } = recipe;
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await recipe.prepare(page, urls);
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
