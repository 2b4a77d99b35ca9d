import { build } from './graphiql-element.js';

/** For how long a button says what came of it, in milliseconds. */
const feedbackMillis = 2_000;

/** Copies a text, and reports it by `say`. Where the browser refuses, the text stands below the button, to be copied by hand. */
export async function copyText(text, button, say) {
  try {
    await navigator.clipboard.writeText(text);
    say('Copied. Set API_KEY and UPSTREAM_BASE_URL to run it.');
    if (button.dataset.feedback !== undefined) return;
    const label = [...button.childNodes];
    button.dataset.feedback = '';
    button.replaceChildren('Copied');
    setTimeout(() => {
      delete button.dataset.feedback;
      button.replaceChildren(...label);
    }, feedbackMillis);
  } catch {
    say('The browser does not let this page copy. Copy the line by hand.');
    const field =
      button.parentElement.querySelector('textarea') ??
      build('textarea', { readonly: '', 'aria-label': 'curl', rows: '4' });
    field.value = text;
    button.after(field);
    field.select();
  }
}
