import { expect, inject, vi } from 'vitest';
import { startApp, type App, type AppOptions } from '../../../src/app.ts';
import { readConfig } from '../../../src/config.ts';
import type { Sandbox } from '../../../src/sandbox/server.ts';
import { patient, schema } from '../../support/gateway.ts';
import { startFixedSandbox } from '../../support/sandbox.ts';
import { connect, type Chromium } from './chromium.ts';

export interface StageOptions extends Pick<AppOptions, 'sandbox' | 'isSandbox'> {
  /** Whether answers may say which calls they took; absent: what the upstream is decides. */
  readonly explain?: boolean;
}

/** A context of the browser, and a gateway in front of a sandbox of its own. */
export interface Stage {
  readonly app: App;
  readonly chromium: Chromium;
  readonly sandbox: Sandbox;
  close(): Promise<void>;
}

/** Starts all parts of a stage on ports of their own. Ends those that have started where one cannot be. */
export async function startStage(
  options: StageOptions = {},
  env: Readonly<Record<string, string>> = {},
): Promise<Stage> {
  await using started = new AsyncDisposableStack();
  const closing = <Part extends { close(): Promise<unknown> }>(part: Part): Part =>
    started.adopt(part, async (each) => void (await each.close()));
  const sandbox = closing(await startFixedSandbox(() => performance.now()));
  const app = closing(await startGateway(sandbox, options, env));
  const chromium = closing(await openBrowser());
  const parts = started.move();
  return { app, chromium, sandbox, close: () => parts.disposeAsync() };
}

/** Opens a context of the Chromium that all files share. */
export async function openBrowser(): Promise<Chromium> {
  const response = await fetch(inject('chromium'));
  if (!response.ok) throw new Error(await response.text());
  return connect(await response.text());
}

/** Starts a gateway in front of a sandbox, with settings as the environment would give them. It keeps no answers, and is ready. */
export async function startGateway(
  { baseUrl }: Pick<Sandbox, 'baseUrl'>,
  { explain, isSandbox = true, sandbox }: StageOptions = {},
  env: Readonly<Record<string, string>> = {},
): Promise<App> {
  const fixed = { PORT: '0', LOG_LEVEL: 'silent', REPORT_CACHE_MS: '0', HISTORY_CACHE_MS: '0' };
  const config = readConfig({ ...patient, ...fixed, ...env, UPSTREAM_BASE_URL: baseUrl });
  const app = await startApp(
    { ...config, upstreamBaseUrl: baseUrl, ...(explain !== undefined && { explain }) },
    { isSandbox, ...(sandbox !== undefined && { sandbox }), schema },
  );
  await vi.waitFor(async () => expect((await fetch(`${app.url}/ready`)).status).toBe(200), { timeout: 60_000 });
  return app;
}
