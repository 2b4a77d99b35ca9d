import { mark } from './page.ts';
import type { SitePlace } from './site-places.ts';

/**
 * Writes the header that all pages share, as HTML; `site-header.css` is its style. `current` is the path of the page that it
 * stands on, and `note` is HTML at its end.
 */
export function writeHeader(links: readonly SitePlace[], current: string, note = ''): string {
  const items = links.map(({ path, name }) => {
    const state = path === current ? ' aria-current="page"' : '';
    return `<li><a href="${path}"${state}>${name}</a></li>`;
  });
  return `<header class="site-header">
      <a href="/">${mark.replace('<svg ', '<svg aria-hidden="true" ')}Switchboard</a>
      <nav aria-label="Places">
        <ul>${items.join('')}</ul>
      </nav>
      ${note === '' ? '' : `<p>${note}</p>`}
    </header>`;
}
