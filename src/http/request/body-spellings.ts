import { LRUCache } from 'lru-cache';
import { smallBody, spellingCacheBytes, spellingsAlike } from '../../bounds.ts';
import { isJsonObject, type JsonObject } from '../../json.ts';
import { isSpelled, parametersIn, spellingOf, type BodySpelling } from './body-spelling.ts';

// Bodies are found by their first bytes, which must come before the variables. The name of the operation begins in them.
const headLength = 32;
const wordLength = 4;
// Of the golden ratio: it mixes the bits of words (Knuth, "The Art of Computer Programming", section 6.4).
const factor = 0x9e3779b1;

// One that many requests have is soon among these; one that a stranger makes up hardly ever is, and others pay little for it. A
// prime number, so that requests that take turns are all among them some day.
export const learnedOneIn = 17;
const heaviest = spellingCacheBytes / 8 / spellingsAlike;

/**
 * Remembers how bodies are spelled around the value of `variables`: the same operation comes again and again with other variables,
 * and to compare the rest byte for byte takes less than half the time of parsing it. No variables are kept. Callers share what is
 * kept, but only who sends the same bytes gets it. It takes `spellingCacheBytes` at most.
 */
export class BodySpellings {
  /** Those that begin alike, the one used last first, by a number made of their heads: V8 is slow to look up a text that is new. */
  readonly #alike = new LRUCache<number, BodySpelling[]>({
    maxSize: spellingCacheBytes,
    sizeCalculation: (alike) => alike.reduce((sum, { weight }) => sum + weight, 0),
  });
  #unknown = 0;

  /** Bytes of memory that the spellings take. */
  get weight(): number {
    return this.#alike.calculatedSize;
  }

  /** Returns just what `parseBody` returns; undefined where no spelling of the body is known, or none that is enough. */
  parse(body: Buffer): JsonObject | undefined {
    // A large one would gain little, and be parsed twice where the spelling is not enough.
    if (body.length < headLength || body.length > smallBody) return undefined;
    const alike = this.#alike.get(keyOf(body));
    if (alike === undefined) return undefined;
    const index = indexOfLongest(alike, body);
    const spelling = alike[index];
    if (spelling === undefined) return undefined;
    if (index > 0) alike.unshift(...alike.splice(index, 1));
    return parametersIn(body, spelling);
  }

  /** Takes note of a body of an unknown spelling for which `parseBody` has returned these parameters. One of seventeen is kept. */
  learn(body: Buffer, parameters: unknown): void {
    if (this.#unknown++ % learnedOneIn !== 0 || body.length > smallBody || !isJsonObject(parameters)) return;
    const spelling = spellingOf(body, parameters);
    if (spelling === null || spelling.weight > heaviest) return;
    if ((spelling.hole ?? body.length) < headLength) return;
    const key = keyOf(body);
    const others = this.#alike.get(key) ?? [];
    this.#alike.set(key, [spelling, ...others.slice(0, spellingsAlike - 1)]);
  }
}

function keyOf(body: Buffer): number {
  let key = 0;
  for (let at = 0; at < headLength; at += wordLength) {
    key = Math.imul(key ^ body.readInt32LE(at), factor);
    key ^= key >>> 15;
  }
  return key;
}

/**
 * Returns the index of the longest spelling that a body has; -1 where it has none. A body with a member behind its variables has
 * the bytes of the same one without that member too, but something else than a value in the hole.
 */
function indexOfLongest(alike: readonly BodySpelling[], body: Buffer): number {
  let longest = -1;
  let length = 0;
  for (let index = 0; index < alike.length; index++) {
    const spelling = alike[index];
    if (spelling === undefined || spelling.bytes.length <= length || !isSpelled(body, spelling)) continue;
    longest = index;
    length = spelling.bytes.length;
  }
  return longest;
}
