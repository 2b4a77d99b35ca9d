import { copyText } from './graphiql-copy.js';
import { build, countText } from './graphiql-element.js';
import { paneHeaders } from './graphiql-fetch.js';
import { stored } from './graphiql-key.js';
import { createRequestEntry } from './graphiql-request.js';

const mostRequests = 20;
const panelName = 'switchboard:panel';
/** What is read out while events come: a summary at most so often, in milliseconds. */
const reportMillis = 5_000;

const panel = document.getElementById('request-panel');
const panelToggle = document.getElementById('panel-toggle');
const panelNews = document.getElementById('panel-news');
const panelState = build('p', { role: 'status', class: 'unseen' });
const panelEmpty = build('p', {}, 'Run an operation to see the calls to the API that it makes.');
const panelClear = build('button', { type: 'button' }, 'Clear');
const requestList = build('div', { class: 'requests' });
panel.append(build('header', {}, build('h2', {}, 'Requests'), panelClear), panelState, panelEmpty, requestList);

/** By the number of the request, oldest first. */
const entries = new Map();
let newsEntry = null;
let reportTimer = null;

function report(text) {
  panelState.textContent = text;
}

function forget([id, entry]) {
  entry.element.remove();
  entries.delete(id);
  if (newsEntry === entry) showNews(null);
}

function tidy() {
  panelEmpty.hidden = entries.size > 0;
  panelClear.hidden = entries.size === 0;
  if (entries.size <= mostRequests) return;
  forget([...entries].find(([, { isLive }]) => !isLive) ?? [...entries][0]);
}

/** Offers what the closed panel has: a live list, or a report. */
function showNews(entry) {
  newsEntry = entry;
  panelNews.hidden = entry === null || !panel.hidden;
  if (entry !== null) panelNews.textContent = entry.events > 0 ? `Live (${entry.events})` : 'CSV';
}

function setPanel(isOpen) {
  panel.hidden = !isOpen;
  panelToggle.setAttribute('aria-expanded', String(isOpen));
  // In lower case, as the tabs' own headers come: both spellings together would be sent as one header of two values.
  if (isOpen) Object.assign(paneHeaders, { 'x-explain': '1', 'x-cost': '1' });
  else for (const name of ['x-explain', 'x-cost']) delete paneHeaders[name];
  showNews(newsEntry);
  stored('sessionStorage', (storage) => storage.setItem(panelName, String(isOpen)));
}

function reportSoon(entry) {
  reportTimer ??= setTimeout(() => {
    reportTimer = null;
    report(`${entry.name}: ${countText(entry.events, 'event')}`);
  }, reportMillis);
}

addEventListener('switchboard:request', ({ detail: { id, ...operation } }) => {
  for (const { element, isLive } of entries.values()) if (!isLive) element.open = false;
  const entry = createRequestEntry({
    operation,
    wasAsked: !panel.hidden,
    copy: (text, button) => copyText(text, button, report),
  });
  entries.set(id, entry);
  requestList.prepend(entry.element);
  tidy();
});

addEventListener('switchboard:payload', ({ detail: { id, payload, isEvent } }) => {
  const entry = entries.get(id);
  if (entry === undefined) return;
  entry.take(payload, isEvent);
  if (isEvent) reportSoon(entry);
  if (isEvent || entry.hasReport) showNews(entry);
});

addEventListener('switchboard:end', ({ detail }) => {
  const entry = entries.get(detail.id);
  if (entry === undefined) return;
  entry.end(detail);
  if (entry.events > 0) report(`${entry.name} has ended after ${countText(entry.events, 'event')}`);
});

panelToggle.addEventListener('click', () => {
  setPanel(panel.hidden);
  // On a narrow screen it stands below the answer.
  if (!panel.hidden && entries.size > 0) panel.scrollIntoView({ block: 'nearest' });
});
panelNews.addEventListener('click', () => {
  const entry = newsEntry;
  setPanel(true);
  entry.element.open = true;
  // The button goes, so the focus goes on with what it led to.
  entry.summary.focus();
});
panelClear.addEventListener('click', () => {
  for (const pair of entries) if (!pair[1].isLive) forget(pair);
  tidy();
  // A hidden button cannot keep the focus.
  if (panelClear.hidden) panelToggle.focus();
});
tidy();
setPanel(stored('sessionStorage', (storage) => storage.getItem(panelName)) === 'true');
