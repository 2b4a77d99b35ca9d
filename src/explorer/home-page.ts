import { listPlaces, writeCard, writePage, type SiteContents } from './layout.ts';
import type { PageSource } from './page.ts';

const query = `{
  chargesSummary(startDate: "2026-10-01"
                 endDate: "2026-11-01") {
    total { grandTotal }
  }
  ipConnections(first: 2) {
    totalCount
    nodes { connectionName }
  }
}`;

/** Writes the page that leads on from the root: what this is, live deliveries, a query to edit, and where to go. */
export function writeHome(contents: SiteContents): PageSource {
  const { isSandbox, makesDeliveries } = contents;
  const field = isSandbox ? 'value="sandbox-key"' : 'type="password"';
  const note = isSandbox
    ? 'The sandbox takes any key, and its data is made up. <a href="/sandbox">Parts of a key</a> name accounts and faults.'
    : 'The key goes to the API with your requests, and is kept nowhere.';
  return writePage(contents, {
    title: 'Switchboard: GraphQL over a telephony API',
    script: 'home.js',
    allowed: { 'connect-src': "'self'" },
    main: `
<h1>One GraphQL endpoint over a telephony API</h1>
<p>Charges, IP connections, missions and webhook deliveries: lists that stay right while rows come and go, relations, live deliveries,
and every value as the API sent it. <span class="quiet">Upstream: ${isSandbox ? 'sandbox' : 'api'}, <span id="state" role="status">…</span></span></p>
<form id="try" class="card" aria-label="Try it">
  <label for="key">Your key <input id="key" autocomplete="off" spellcheck="false" pattern="[!-~]*" title="A key has no spaces, and only letters that a header can carry" ${field} /></label>
  <button type="submit">Run the query</button> <a id="open" href="/graphql">Open it in GraphiQL</a>
  <p class="quiet small">${note}</p>
  <div class="columns">
    <textarea id="query" aria-label="Query" spellcheck="false" autocapitalize="off">${query}</textarea>
    <pre id="answer" tabindex="0" role="region" aria-label="Answer">The answer comes here.</pre>
  </div>
  <p id="outcome" role="status"></p>
  <ol id="calls" class="plain small" aria-label="Calls"></ol>
</form>
<noscript><p>Without JavaScript, send the query yourself, as the guides show.</p></noscript>
<h2>Live deliveries</h2>
<p class="quiet small"><button id="toggle" type="button">Follow</button> ${makesDeliveries ? '<button id="make" type="button">Make one</button>' : ''}
<span id="live-state" role="status">paused</span> · a subscription over Server-Sent Events, times in UTC</p>
<ol id="live" class="plain small"></ol>
<ul class="columns plain">${listPlaces(contents).map(writeCard).join('')}</ul>`,
  });
}
