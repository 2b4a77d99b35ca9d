import type { PageSource } from './page.ts';
import { writeSitePage } from './site-frame.ts';
import type { SitePlace } from './site-places.ts';

const closed =
  '<p>This gateway does not show its schema (<code>INTROSPECTION=false</code>), so it has no Voyager and no SDL.</p>\n';

/** Writes the page for addresses that there are not. It repeats nothing of the address. */
export function writeNotFound(version: string, links: readonly SitePlace[]): Promise<PageSource> {
  const isClosed = !links.some(({ path }) => path === '/schema.graphql');
  return writeSitePage({
    title: 'Switchboard: not found',
    links,
    version,
    script: '',
    main: `
<h1>There is no such page</h1>
<p>Nothing is served at this address. <a href="/">Begin at the first page</a>, or go to one of these:</p>
${isClosed ? closed : ''}<ul class="cards">${links
      .map(({ path, name, about }) => `<li><a href="${path}">${name}</a><p class="quiet">${about}</p></li>`)
      .join('')}</ul>`,
  });
}
