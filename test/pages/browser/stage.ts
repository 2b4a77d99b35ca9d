import { expect, inject, vi } from 'vitest';
import type { AppOptions } from '../../../src/app.ts';
import type { Sandbox } from '../../../src/sandbox/server.ts';
import { startGateway as startGatewayBefore, type Gateway } from '../../support/gateway.ts';
import { startFixedSandbox } from '../../support/sandbox.ts';
import { connect, type Chromium } from './chromium.ts';

type StageOptions = Pick<AppOptions, 'sandbox' | 'isSandbox'>;

/** A context of the browser, and a gateway in front of a sandbox of its own. */
export type Stage = Awaited<ReturnType<typeof startStage>>;

/** Starts all parts of a stage on ports of their own. Ends those that have started where one cannot be. */
export async function startStage(options: StageOptions = {}, env: Readonly<Record<string, string>> = {}) {
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

/** Starts a gateway in front of a sandbox, with settings as the environment would give them, and waits until it is ready. */
export async function startGateway(
  { baseUrl }: Pick<Sandbox, 'baseUrl'>,
  options: StageOptions = {},
  env: Readonly<Record<string, string>> = {},
): Promise<Gateway> {
  const gateway = await startGatewayBefore(baseUrl, env, { isSandbox: true, ...options });
  await vi.waitFor(async () => expect((await gateway.fetch('/ready')).status).toBe(200), { timeout: 60_000 });
  return gateway;
}
