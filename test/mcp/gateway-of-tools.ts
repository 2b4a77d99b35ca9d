import { startGateway, testOfFile, type Gateway } from '../support/gateway.ts';

/** `testOfFile` with a gateway that has tools. */
export const toolsOfFile = (env: Readonly<Record<string, string>> = {}) =>
  testOfFile.extend<{ readonly gateway: Gateway; readonly tools: Gateway }>({
    gateway: [
      async ({ upstream }, use) => {
        const settings = { MCP: 'true', UPSTREAM_BREAKER_OPEN_MS: '1', ...env };
        const gateway = await startGateway(upstream.baseUrl, settings);
        await use(gateway);
        await gateway.close();
      },
      { scope: 'file' },
    ],
    tools: ({ gateway }, use) => use(gateway),
  });
