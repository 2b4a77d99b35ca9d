import { offerKeys } from './sandbox-controls.js';

const [form, key, query, answer, outcome, state] = ['try', 'key', 'query', 'answer', 'outcome', 'state'].map((id) =>
  document.getElementById(id),
);
let asked = 0;

function show(element, text, mood = '') {
  element.textContent = text;
  element.className = mood;
}

/** The key goes into this one request and is kept nowhere. */
async function ask() {
  const press = ++asked;
  const began = performance.now();
  show(outcome, 'Asking …', 'quiet');
  try {
    const response = await fetch('/graphql', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        'x-cost': '1',
        ...(key.value.trim() !== '' && { authorization: `Bearer ${key.value.trim()}` }),
      },
      body: JSON.stringify({ query: query.textContent }),
    });
    const result = await response.json();
    // A later press has its own answer.
    if (press !== asked) return;
    const took = `${Math.round(performance.now() - began)} ms`;
    const calls = result.extensions?.cost?.upstreamCalls;
    const parts = [`HTTP ${response.status}`, took, ...(calls === undefined ? [] : [`${calls} calls to the API`])];
    const failed = result.errors?.length > 0;
    show(outcome, `${failed ? 'Answered with errors' : 'Answered'}: ${parts.join(', ')}`, failed ? 'bad' : 'good');
    answer.textContent = JSON.stringify({ data: result.data, errors: result.errors }, null, 2);
  } catch {
    if (press === asked) show(outcome, 'The gateway did not answer. Try again.', 'bad');
  }
}

async function watch() {
  try {
    const { status } = await (await fetch('/ready')).json();
    show(state, status, status === 'ready' ? 'good' : 'bad');
  } catch {
    show(state, 'not reachable', 'bad');
  }
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  void ask();
});
const offers = document.getElementById('offers');
if (offers !== null) void offerKeys(offers, key, () => void ask());
void watch();
setInterval(() => void watch(), 10_000);
if (key.value !== '') void ask();
