/** Builds an element. Texts among its children stay texts, whatever they hold. */
export function build(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** A paragraph, a list item or a cell has at most so many characters of a text that the API sent. */
const longestShown = 300;

/** A value as text of bounded length; a dash stands for null. */
export function shownText(value, longest = longestShown) {
  if (value == null) return '–';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

export function isRecord(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A number that can be drawn; null for all else. */
export function measureOf(value) {
  const measure = typeof value === 'bigint' ? Number(value) : value;
  return Number.isFinite(measure) && measure >= 0 ? measure : null;
}

const counts = new Intl.NumberFormat('en');

/** A number with commas; anything else as it is shown elsewhere. */
export function numberText(value) {
  const measure = measureOf(value);
  return measure === null ? shownText(value, 20) : counts.format(measure);
}

export function countText(count, one, many = `${one}s`) {
  return `${counts.format(count)} ${count === 1 ? one : many}`;
}

export function bytesText(bytes) {
  const measure = measureOf(bytes);
  if (measure === null) return '–';
  if (measure < 1_000) return `${measure} B`;
  return measure < 1_000_000 ? `${(measure / 1_000).toFixed(1)} kB` : `${(measure / 1_000_000).toFixed(1)} MB`;
}

export function millisText(milliseconds) {
  const measure = measureOf(milliseconds);
  if (measure === null) return '–';
  if (measure >= 10_000) return `${(measure / 1_000).toFixed(1)} s`;
  return `${measure.toFixed(measure < 100 ? 1 : 0)} ms`;
}

/** A list of which only the first items are shown, with a count of the others; null where it is empty. */
export function boundedList(items, most, write) {
  if (items.length === 0) return null;
  const rest = items.length > most ? [build('li', {}, `and ${counts.format(items.length - most)} more`)] : [];
  return build('ul', {}, ...items.slice(0, most).map((item) => build('li', {}, ...write(item))), ...rest);
}
