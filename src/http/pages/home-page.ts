import type { PageSource } from './page.ts';
import { readOwn, writeSitePage } from './site-frame.ts';
import type { SitePlace } from './site-places.ts';

export interface HomePageOptions {
  readonly version: string;
  /** Whether the embedded sandbox stands in for the API. Its key is no secret, so its answer is shown at once. */
  readonly isSandbox: boolean;
  readonly links: readonly SitePlace[];
}

const query = `{
  chargesSummary(
    startDate: "2026-10-01"
    endDate: "2026-11-01"
  ) {
    currency
    total { grandTotal }
  }
  ipConnections(first: 2) {
    totalCount
    nodes { connectionName }
  }
}`;

/** Writes the page that leads on from the root: what this is, its state, where to go, and a query to try. */
export async function writeHome({ version, isSandbox, links }: HomePageOptions): Promise<PageSource> {
  return writeSitePage({
    title: 'Switchboard: GraphQL over a telephony API',
    links,
    version,
    script: await readOwn('home.js'),
    sendsRequests: true,
    main: `
<h1>One GraphQL endpoint over a telephony API</h1>
<p>Charges, IP connections, missions and webhook deliveries: lists that stay right while rows come and go, relations,
live deliveries, and every value as the API sent it. Send queries to <code>POST /graphql</code> with your own key.</p>
<dl class="facts">
  <div><dt>State</dt><dd><span id="state" role="status">…</span></dd></div>
  <div><dt>Upstream</dt><dd>${isSandbox ? 'sandbox' : 'api'}</dd></div>
  <div><dt>Version</dt><dd>${version}</dd></div>
</dl>
<h2>Where to go</h2>
<ul class="cards">${links
      .map(({ path, name, about }) => `<li><a href="${path}">${name}</a><p class="quiet">${about}</p></li>`)
      .join('')}</ul>
<h2>Try it</h2>
<form id="try">
  <label for="key">Your key<input id="key" type="${isSandbox ? 'text' : 'password'}" autocomplete="off" spellcheck="false" placeholder="${
    isSandbox ? 'any key' : 'key of your account'
  }" value="${isSandbox ? 'sandbox-key' : ''}" /></label>
  <button type="submit">Run the query</button>
</form>
<p class="quiet">${
      isSandbox
        ? 'The sandbox takes any key, and its data is made up.'
        : 'The key goes to the API with this request, and is kept nowhere.'
    } <span id="outcome" role="status"></span></p>
<div class="pair">
  <pre id="query" tabindex="0" role="region" aria-label="Query">${query}</pre>
  <pre id="answer" tabindex="0" role="region" aria-label="Answer">The answer comes here.</pre>
</div>
<noscript><p>Without JavaScript, send the query yourself, as the README shows.</p></noscript>`,
  });
}
