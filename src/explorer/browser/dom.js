/** The elements of the page that have these ids, in their order; null where there is none. */
export function byId(...ids) {
  return ids.map((id) => document.getElementById(id));
}

/** Builds an element, such as `span.state`. Nodes and texts are its children, whatever the texts hold; records are attributes. */
export function build(name, ...parts) {
  const [tag, ...classes] = name.split('.');
  const element = document.createElement(tag);
  element.classList.add(...classes);
  for (const part of parts) {
    if (typeof part === 'string' || part instanceof Node) element.append(part);
    else for (const [attribute, value] of Object.entries(part ?? {})) element.setAttribute(attribute, value);
  }
  return element;
}

// Each is named as its class, for which `site.css` has a colour. A text before a colon is a name of JSON.
const tokens = new RegExp(
  [
    '(?<comment>#.*)',
    String.raw`(?<keyword>"(?:\\.|[^"\\\n])*"(?=\s*:)|@\w+|\b(?:query|mutation|subscription|fragment|on)\b)`,
    String.raw`(?<string>"(?:\\.|[^"\\\n])*"?)`,
    String.raw`(?<function>\$\w+)`,
    String.raw`(?<constant>\b(?:true|false|null)\b|-?\b\d[\w.+-]*)`,
  ].join('|'),
  'g',
);
/** Characters of a text that have colours; the rest is plain. */
const longestColoured = 50_000;

/** GraphQL or JSON as texts and elements with colours, in order. */
export function colour(text) {
  const parts = [];
  let end = 0;
  for (const { 0: token, index, groups } of text.slice(0, longestColoured).matchAll(tokens)) {
    const name = Object.keys(groups).find((group) => groups[group] !== undefined);
    parts.push(text.slice(end, index), build(`span.${name}`, token));
    end = index + token.length;
  }
  return [...parts, text.slice(end)];
}
