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
