import { renderToReadableStream } from 'react-dom/server';
import { afterEach, vi } from 'vitest';
import { expect, test } from '../gateway.ts';
import App from './src/app';

afterEach(() => vi.unstubAllGlobals());

test('the page of README.md shows a list', async ({ url }) => {
  const { fetch } = globalThis;
  vi.stubGlobal('fetch', (input: string | URL, init?: RequestInit) => {
    return fetch(String(input).replace('http://127.0.0.1:4000/graphql', url), init);
  });
  const stream = await renderToReadableStream(<App />);
  await stream.allReady;
  const html = await new Response(stream).text();
  expect(html).toContain('Welcome call 230');
  expect(html.match(/<li>/g)).toHaveLength(10);
});
