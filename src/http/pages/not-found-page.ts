import type { PageSource } from './page.ts';
import { writeSitePage, type SiteLink } from './site-frame.ts';

/** Writes the page for addresses that there are not. It repeats nothing of the address. */
export function writeNotFound(version: string, links: readonly SiteLink[]): Promise<PageSource> {
  return writeSitePage({
    title: 'Switchboard: not found',
    links,
    version,
    script: '',
    main: `
<h1>There is no such page</h1>
<p>Nothing is served at this address. <a href="/">Begin at the first page</a>, or go to one of these:</p>
<ul class="cards">${links
      .map(({ path, name, about }) => `<li><a href="${path}">${name}</a><p class="quiet">${about}</p></li>`)
      .join('')}</ul>`,
  });
}
