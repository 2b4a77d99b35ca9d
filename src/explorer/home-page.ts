import { writeCard, writePage, type SiteContents } from './layout.ts';
import type { PageSource } from './page.ts';

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
  webhookDeliveries(first: 2) {
    nodes { status startedAt }
  }
}`;

/** Writes the page that leads on from the root: what this is, its state, live deliveries, a query to edit, and where to go. */
export function writeHome(contents: SiteContents): PageSource {
  const { version, isSandbox, makesDeliveries, links } = contents;
  const field = isSandbox
    ? 'type="text" placeholder="any key" value="sandbox-key"'
    : 'type="password" placeholder="key of your account"';
  const keyNote = isSandbox
    ? 'The sandbox takes any key, and its data is made up. <a href="/sandbox">Parts of a key</a> name accounts and faults.'
    : 'The key goes to the API with your requests, and is kept nowhere.';
  return writePage(contents, {
    title: 'Switchboard: GraphQL over a telephony API',
    script: 'home.js',
    allowed: { 'connect-src': "'self'" },
    main: `
<div class="pair">
  <div>
    <h1>One GraphQL endpoint over a telephony API</h1>
    <p>Charges, IP connections, missions and webhook deliveries: lists that stay right while rows come and go, relations,
    live deliveries, and every value as the API sent it. Send queries to <code>POST /graphql</code> with your own key.</p>
    <dl class="row">
      <div class="row"><dt class="quiet">State</dt><dd><span id="state" role="status">…</span></dd></div>
      <div class="row"><dt class="quiet">Upstream</dt><dd>${isSandbox ? 'sandbox' : 'api'}</dd></div>
      <div class="row"><dt class="quiet">Version</dt><dd>${version}</dd></div>
    </dl>
  </div>
  <section class="card" aria-labelledby="live-title">
    <div class="row"><h2 id="live-title">Live deliveries</h2>${makesDeliveries ? '<button id="live-make" type="button">Make one</button>' : ''}<button id="live-toggle" type="button">Follow</button></div>
    <ol id="live" class="plain small"><li class="quiet">Webhook deliveries of the key below appear here as they happen.</li></ol>
    <p class="quiet small"><span id="live-state" role="status">paused</span> · a subscription over Server-Sent Events, times in UTC</p>
  </section>
</div>
<form id="try" class="card" aria-label="Try it">
  <div class="row">
    <label for="key">Your key <input id="key" autocomplete="off" spellcheck="false" pattern="[!-~]*" title="A key has no spaces, and only letters that a header can carry" ${field} /></label>
    <button type="submit">Run the query</button>
    <a id="open" href="/graphql">Open it in GraphiQL</a>
  </div>
  <p class="quiet">${keyNote}</p>
  <div class="pair">
    <pre id="query" tabindex="0" contenteditable="plaintext-only" role="textbox" aria-multiline="true" aria-label="Query" spellcheck="false" autocapitalize="off">${query}</pre>
    <pre id="answer" tabindex="0" role="region" aria-label="Answer">The answer comes here.</pre>
  </div>
  <p id="outcome" role="status"></p>
  <ol id="calls" class="plain small" aria-label="Calls"></ol>
</form>
<noscript><p>Without JavaScript, send the query yourself, as the guides show.</p></noscript>
<ul class="cards row plain">${links.map(writeCard).join('')}</ul>`,
  });
}
