import { startApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { startFixedSandbox } from '../support/sandbox.ts';

/** A gateway as `npm start` makes it, in front of a sandbox whose data never changes. */
export interface PictureGateway {
  readonly url: string;
  close(): Promise<void>;
}

/** Starts the gateway whose pages the pictures show. */
export async function startPictureGateway(): Promise<PictureGateway> {
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
