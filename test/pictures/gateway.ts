import { startApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { startFixedSandbox } from '../support/sandbox.ts';

/** Starts the gateway whose pages the pictures show, as `npm start` does, in front of a sandbox whose data never changes. */
export async function startPictureGateway() {
  const sandbox = await startFixedSandbox();
  const config = readConfig({ PORT: '0', LOG_LEVEL: 'silent' });
  const parts = { explain: true, mcp: true, upstreamBaseUrl: sandbox.baseUrl };
  const app = await startApp({ ...config, ...parts }, { isSandbox: true });
  return {
    url: app.url,
    async close() {
      await app.close();
      await sandbox.close();
    },
  };
}
