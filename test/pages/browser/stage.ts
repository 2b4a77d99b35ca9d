import { startApp, type App } from '../../../src/app.ts';
import { readConfig } from '../../../src/config.ts';
import type { Sandbox } from '../../../src/sandbox/server.ts';
import { startFixedSandbox } from '../../support/sandbox.ts';
import { startChromium, type Chromium } from './chromium.ts';

export interface StageOptions {
  /** Whether the gateway knows that its upstream is the sandbox; absent: it does. */
  readonly isSandbox?: boolean;
  /** Whether answers may say which calls they took; absent: what the upstream is decides. */
  readonly explain?: boolean;
}

/** A browser, and a gateway in front of a sandbox of its own. */
export interface Stage {
  readonly app: App;
  readonly chromium: Chromium;
  readonly sandbox: Sandbox;
  close(): Promise<void>;
}

/** Starts all parts of a stage on ports of their own. Ends those that have started where one cannot be. */
export async function startStage({ isSandbox = true, explain }: StageOptions = {}): Promise<Stage> {
  await using started = new AsyncDisposableStack();
  const closing = <Part extends { close(): Promise<unknown> }>(part: Part): Part =>
    started.adopt(part, async (each) => void (await each.close()));
  const sandbox = closing(await startFixedSandbox(() => performance.now()));
  const app = closing(await startGateway(sandbox, { isSandbox, ...(explain !== undefined && { explain }) }));
  const chromium = closing(await startChromium());
  const parts = started.move();
  return { app, chromium, sandbox, close: () => parts.disposeAsync() };
}

/** Starts a gateway in front of a sandbox, with settings as the environment would give them. */
export function startGateway(
  { baseUrl }: Pick<Sandbox, 'baseUrl'>,
  { isSandbox = true, explain }: StageOptions = {},
  env: Readonly<Record<string, string>> = {},
): Promise<App> {
  const config = readConfig({ PORT: '0', LOG_LEVEL: 'silent', ...env, UPSTREAM_BASE_URL: baseUrl });
  return startApp({ ...config, upstreamBaseUrl: baseUrl, ...(explain !== undefined && { explain }) }, { isSandbox });
}
