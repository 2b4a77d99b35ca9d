import {
  guidePaths,
  hasSandbox,
  joinModules,
  readOwn,
  sandboxOffers,
  writeSitePage,
  type SiteContents,
} from './frame.ts';
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
export function writeHome(site: SiteContents): PageSource {
  const { version, isSandbox, links } = site;
  const isOffering = hasSandbox(links);
  const field = isSandbox
    ? 'type="text" placeholder="any key" value="sandbox-key"'
    : 'type="password" placeholder="key of your account"';
  const keyNote = isSandbox
    ? `The sandbox takes any key, and its data is made up.${isOffering ? ' <a href="/sandbox">Parts of a key</a> name accounts and faults.' : ''}`
    : 'The key goes to the API with your requests, and is kept nowhere.';
  const liveNote = isSandbox
    ? 'Webhook deliveries appear here as they happen.'
    : 'Enter your key below, then follow the webhook deliveries of your account as they happen.';
  return writeSitePage({
    ...site,
    title: 'Switchboard: GraphQL over a telephony API',
    style: readOwn('home.css'),
    script: joinModules(['gateway.js', 'views.js', 'home.js']),
    sendsRequests: true,
    main: `
<div class="hero">
  <div>
    <h1>One GraphQL endpoint over a telephony API</h1>
    <p>Charges, IP connections, missions and webhook deliveries: lists that stay right while rows come and go, relations,
    live deliveries, and every value as the API sent it. Send queries to <code>POST /graphql</code> with your own key.</p>
    <p class="row"><a class="button" href="/graphql">Open GraphiQL</a>${guidePaths(links).length > 0 ? '<a href="/docs">Read the guides</a>' : ''}</p>
    <dl class="facts row">
      <div class="row"><dt class="quiet">State</dt><dd><span id="state" role="status">…</span></dd></div>
      <div class="row"><dt class="quiet">Upstream</dt><dd>${isSandbox ? 'sandbox' : 'api'}</dd></div>
      <div class="row"><dt class="quiet">Version</dt><dd>${version}</dd></div>
    </dl>
  </div>
  <section class="card ticker" aria-labelledby="live-title">
    <div class="row"><h2 id="live-title">Live deliveries</h2><button id="live-toggle" type="button" hidden>Follow</button></div>
    <ol id="live" class="deliveries plain small"><li class="quiet">${liveNote}</li></ol>
    <p class="quiet small"><span id="live-state">paused</span> · <span id="live-news" role="status">a subscription over Server-Sent Events, times in UTC</span></p>
    ${isOffering ? '<p><button id="live-make" type="button">Make a delivery</button></p>' : ''}
  </section>
</div>
<form id="try" class="card" aria-label="Try it">
  <div class="row">
    <label for="key">Your key<input id="key" autocomplete="off" spellcheck="false" ${field} /></label>
    ${isOffering ? sandboxOffers : ''}
    <button type="submit">Run the query</button>
    <a id="open" href="/graphql">Open it in GraphiQL</a>
  </div>
  <p class="quiet">${keyNote}</p>
  <div class="pair">
    <div class="editor"><pre id="coloured" aria-hidden="true"></pre><textarea id="query" aria-label="Query" rows="15" spellcheck="false" autocapitalize="off">${query}</textarea></div>
    <pre id="answer" tabindex="0" role="region" aria-label="Answer">The answer comes here.</pre>
  </div>
  <p id="outcome" role="status"></p>
  <div id="calls"${isSandbox ? '' : ' hidden'}></div>
</form>
<noscript><p>Without JavaScript, send the query yourself, as the README shows.</p></noscript>
<h2>Where to go</h2>
${writeCards(links)}`,
  });
}

/** Writes the page of the embedded sandbox. Its script asks the sandbox what it offers. */
export function writeSandbox(site: SiteContents): PageSource {
  return writeSitePage({
    ...site,
    title: 'Switchboard: the sandbox',
    path: '/sandbox',
    style: readOwn('guide.css'),
    script: joinModules(['gateway.js', 'views.js', 'sandbox.js']),
    sendsRequests: true,
    main: `
<div class="guide">
<h1>The sandbox</h1>
<p>Made-up data instead of the API. Any key is taken; parts of it, joined by <code>+</code>, name an account and what shall fail, as in
<code>small+rate-limited=5+only=missions</code>. The header <code>X-Sandbox</code> takes the same.
<a href="/docs/client-guide.md">The client guide</a> tells what a page should make of each code.</p>
<form class="row"><label for="key">Key<input id="key" value="sandbox-key" autocomplete="off" spellcheck="false" /></label>${sandboxOffers}</form>
<h2>Make a delivery</h2>
<p>It is in lists at once, and in streams at the next poll, for the account of the key.</p>
<form id="delivery" class="row">
  <label>Type<input name="type" value="call_initiated" /></label>
  <label>Status<select name="status"><option>delivered</option><option>failed</option></select></label>
  <label>Attempts<input name="attempts" type="number" min="1" max="10" value="1" /></label>
  <button type="submit">Make it</button>
</form>
<p id="delivery-state" role="status"></p>
<h2>Clock</h2>
<p>The present is <code id="present">…</code></p>
<form id="clock" class="row">
  <label>Moment, or nothing for the clock it began with<input name="now" placeholder="2026-12-24T18:00:00Z" /></label>
  <button type="submit">Set the clock</button>
</form>
<p id="clock-state" role="status"></p>
<h2>Accounts</h2>
${writeTable('accounts', 'Accounts', ['part of a key', 'connections', 'missions', 'deliveries', 'numbers'])}
<h2>Faults</h2>
<p><code>only=</code> limits them to one endpoint: <span id="endpoints"></span>.</p>
${writeTable('faults', 'Faults', ['part of a key', 'what it does', 'takes', 'code of the error'])}
<noscript><p>Without JavaScript, <code>GET /sandbox</code> has all of this as JSON.</p></noscript>
</div>`,
  });
}

/** A table without rows, which a script fills in. */
function writeTable(id: string, name: string, heads: readonly string[]): string {
  const cells = heads.map((head) => `<th scope="col">${head}</th>`).join('');
  return `<div class="table" tabindex="0" role="region" aria-label="${name}"><table><thead><tr>${cells}</tr></thead><tbody id="${id}"></tbody></table></div>`;
}

/** Writes the page for addresses that there are not. It repeats nothing of the address. */
export function writeNotFound(site: SiteContents): PageSource {
  const hasSchema = site.links.some(({ path }) => path === '/schema.graphql');
  return writeSitePage({
    ...site,
    title: 'Switchboard: not found',
    main: `
<h1>There is no such page</h1>
<p>Nothing is served at this address. <a href="/">Begin at the first page</a>, or go to one of these:</p>
${hasSchema ? '' : '<p>This gateway does not show its schema (<code>INTROSPECTION=false</code>), so it has no Voyager and no SDL.</p>'}
${writeCards(site.links)}`,
  });
}

function writeCards(links: SiteContents['links']): string {
  const cards = links.map(
    ({ path, name, about }) => `<li class="card"><a href="${path}">${name}</a><p class="quiet">${about}</p></li>`,
  );
  return `<ul class="cards row plain">${cards.join('')}</ul>`;
}
