import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { startChromium } from '../pages/browser/chromium.ts';
import { capture } from './capture.ts';
import { startPictureGateway } from './gateway.ts';
import { folder, pictureFiles, writeManifest } from './manifest.ts';
import { recipes } from './recipes.ts';
import { hashShown } from './shown.ts';
import { runStream } from './stream-run.ts';
import { tellRun } from './stream-terminal.ts';
import { writeTerminal } from './terminal.ts';

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
  const lines = tellRun(await runStream());
  for (const [name, isStill] of [
    ['stream.svg', false],
    ['stream-still.svg', true],
  ] as const)
    writeFileSync(new URL(name, folder), writeTerminal(lines, { isStill, ...streamWords }));
  writeManifest(await hashShown(gateway.url));
  for (const name of pictureFiles())
    console.log(`${name}: ${Math.ceil(statSync(new URL(name, folder)).size / 1_000)} kB`);
}

const streamWords = {
  title: 'A stream of live deliveries over a restart of the gateway',
  description:
    'curl follows new webhook deliveries. The gateway restarts while two deliveries appear. curl comes back with the id of the last ' +
    'event, and gets these two and the next: nothing is lost, nothing comes twice.',
};
