import type { InlineConfig } from 'vite';
import type { Gateway } from './gateway.ts';

/** How the page is served in front of a gateway: same origin, so that no browser needs CORS and no key leaves it. */
export function pageInFrontOf({ url, today }: Gateway, port: number): InlineConfig {
  const proxy = { '/graphql': url, '/exports': url };
  const listening = { host: '127.0.0.1', port, proxy };
  return {
    root: import.meta.dirname,
    server: listening,
    preview: listening,
    define: { 'import.meta.env.VITE_TODAY': JSON.stringify(today) },
  };
}
