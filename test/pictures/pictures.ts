import { mkdirSync, statSync } from 'node:fs';
import { startChromium } from '../pages/browser/chromium.ts';
import { capture } from './capture.ts';
import { startPictureGateway } from './gateway.ts';
import { folder, pictureFiles, writeManifest } from './manifest.ts';
import { recipes } from './recipes.ts';
import { hashShown } from './shown.ts';

/** Makes all pictures, and notes what they show. */
export async function makePictures(): Promise<void> {
  mkdirSync(folder, { recursive: true });
  await using ends = new AsyncDisposableStack();
  const gateway = await startPictureGateway();
  ends.defer(() => gateway.close());
  const chromium = await startChromium();
  ends.defer(() => chromium.close());
  const urls = { gateway: gateway.url };
  for (const recipe of recipes) await capture(recipe, urls, () => chromium.context.newPage());
  writeManifest(await hashShown(gateway.url));
  for (const name of pictureFiles())
    console.log(`${name}: ${Math.ceil(statSync(new URL(name, folder)).size / 1_000)} kB`);
}
