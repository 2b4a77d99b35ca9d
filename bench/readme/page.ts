/** Texts for the places of a page, by name. */
export type Blocks = Readonly<Record<string, string>>;

const place = /<!-- results: ([\w-]+) -->[^]*?<!-- end -->/g;

/**
 * Returns the page with each of its places filled anew: what stands between `<!-- results: name -->` and `<!-- end -->`, within a
 * line or in lines of its own. Throws for a name that has no text, and where the page has no place at all.
 */
export function filledPage(page: string, blocks: Blocks): string {
  if (page.search(place) === -1) throw new Error('The page has no place for results.');
  return page.replace(place, (whole, name: string) => {
    const text = blocks[name];
    if (text === undefined) throw new Error(`There are no results named ${name}.`);
    const edge = whole.includes('\n') ? '\n\n' : '';
    return `<!-- results: ${name} -->${edge}${text}${edge}<!-- end -->`;
  });
}
