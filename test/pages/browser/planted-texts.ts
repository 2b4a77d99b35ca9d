import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listenOnLoopback } from '../../support/http.ts';

/** What a planted text runs where a page takes it for more than text. */
export const planted = 'planted()';

/** Texts that run a script where a page writes them into HTML, an attribute, a script, a link, Markdown or a template. */
export const plantedTexts: readonly string[] = [
  `<img src=x onerror=${planted}>`,
  `"><svg onload=${planted}>`,
  `</script><script>${planted}</script>`,
  `</style></title></textarea></pre><script>${planted}</script>`,
  `javascript:${planted}`,
  `' onfocus=${planted} autofocus tabindex=1 x='`,
  `[x](javascript:${planted})<a href="javascript:${planted}">x</a>`,
  `<iframe srcdoc="<script>parent.${planted}</script>"></iframe>`,
  `<!--<script>${planted}//--></script>\u2028`,
  `\${${planted}}{{constructor.constructor('${planted}')()}}`,
];

// A value that a scalar would refuse, or a tag that decides what a row is, would cost its field.
const kept = /^(?:-?\d+(?:\.\d+)?|\d{4}-\d\d-\d\d.*)$/;
const keptMembers = new Set(['type', '__typename']);

/**
 * Returns a function that puts the planted texts, one after another, before every text of a JSON value, and into names of members of
 * objects without a schema.
 */
export function createPlanting(): (value: unknown) => unknown {
  let count = 0;
  // The first of them in each text, for a text may be cut, and a page may show few.
  const next = (): string => `${plantedTexts[0]}${plantedTexts[count++ % plantedTexts.length]}`;
  const plant = (value: unknown): unknown => {
    if (typeof value === 'string') return kept.test(value) ? value : next() + value;
    if (Array.isArray(value)) return value.map(plant);
    if (typeof value !== 'object' || value === null) return value;
    const members = Object.entries(value).map(([name, member]) => {
      const isFree = name === 'metadata' || name === 'payload';
      const more = isFree && typeof member === 'object' ? { [next()]: next() } : {};
      return [
        name,
        keptMembers.has(name) ? member : isFree ? { ...(plant(member) as object), ...more } : plant(member),
      ];
    });
    return Object.fromEntries(members);
  };
  return plant;
}

/** An upstream on loopback that answers as another does, with planted texts in everything that it says. */
export async function startPlantedUpstream(realUrl: string) {
  const plant = createPlanting();
  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { authorization = '', accept = '*/*' } = req.headers;
    const path = (req.url ?? '').replace(/^\/v2/, '');
    const response = await fetch(realUrl + path, { headers: { authorization, accept } });
    const text = await response.text();
    const type = response.headers.get('content-type') ?? '';
    res.writeHead(response.status, { 'content-type': type });
    res.end(type.includes('json') ? JSON.stringify(plant(JSON.parse(text))) : text);
  }
  // The other upstream may end before its answers do.
  const server = createServer((req, res) => void answer(req, res).catch(() => res.destroy()));
  const { baseUrl, close } = await listenOnLoopback(server);
  return { baseUrl: baseUrl(), close };
}
