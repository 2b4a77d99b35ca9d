import { readOwn } from './layout.ts';

/** Joins modules of this folder to one script. Each stands behind those that it imports. */
export function joinModules(names: readonly string[]): string {
  const text = names.map(readOwn).join('\n');
  return text.replaceAll(/^import [^;]*;\n/gm, '').replaceAll(/^export /gm, '');
}

/** Accounts and faults of the sandbox beside a key, which a script fills in. */
export const sandboxOffers = `<span id="offers">${['Account', 'Fault']
  .map((name) => `<select disabled aria-label="${name} of the sandbox"></select>`)
  .join(' ')}</span>`;
