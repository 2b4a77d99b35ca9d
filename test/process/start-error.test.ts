import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { startApp } from '../../src/app.ts';
import { quoteLength } from '../../src/bounds.ts';
import { readConfig } from '../../src/config.ts';
import { createLog } from '../../src/telemetry/log.ts';

const page = readFileSync(new URL('../../docs/configuration.md', import.meta.url), 'utf8');
const variables = [
  ...new Set(
    [...page.matchAll(/^\| (`[A-Z_]+`(?:, `[A-Z_]+`)*)/gm)].flatMap(([, names = '']) => names.match(/[A-Z_]+/g) ?? []),
  ),
];

// A character that no sentence of ours repeats.
const long = '~'.repeat(10_000);
const longName = 'x'.repeat(10_000);
const user = 'nobody-knows';
const password = 'hush-hush';
const values = [
  long,
  longName,
  `/${longName}/${longName}`,
  `https://example.com/${longName}`,
  `https://${user}:${password}@example.com/v2`,
  `redis://${user}:${password}@127.0.0.1:1`,
  `https:/${user}:${password}@example.com/v2`,
  `https//${user}:${password}@example.com`,
  `${user}:${password}@example.com`,
  `https://${user}:${password}`,
  `https://${user}:${password}@${longName}`,
  `https://${user}:${password}@example.com:99999/v2`,
  `https://${user}:${password}%zz@[::1/v2 x`,
  `name=https://${user}:${password}@example.com,x`,
];

/** All that a start with this setting prints and logs; the gateway is stopped again where it starts. */
async function printed(name: string, value: string): Promise<string> {
  const lines: string[] = [];
  try {
    const config = readConfig({
      PORT: '0',
      EXPLORER: 'false',
      LOG_LEVEL: 'debug',
      MCP: 'true',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
      [name]: value,
    });
    const log = createLog(config.logLevel, { write: (line) => lines.push(line) });
    const app = await startApp(
      { ...config, mcp: true, upstreamBaseUrl: config.upstreamBaseUrl ?? 'http://127.0.0.1:1/v2' },
      { log },
    );
    await app.close();
  } catch (error) {
    lines.push((error as Error).message);
  }
  return lines.join('\n');
}

test.each(variables)('a start with an unusable %s quotes little of it, and no credentials', async (name) => {
  for (const value of values) {
    const text = await printed(name, value);
    expect(text).not.toMatch(new RegExp(`${user}|${password}`));
    const quoted = (text.match(/[x~]{2,}/g) ?? []).reduce((sum, { length }) => sum + length, 0);
    expect(quoted).toBeLessThanOrEqual(quoteLength);
  }
});

test('the page of the settings names them all', () => {
  expect(variables.length).toBeGreaterThan(60);
});
