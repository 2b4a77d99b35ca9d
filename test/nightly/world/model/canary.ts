import { formsOf, pieceLength } from '../../../support/canary.ts';

// All secrets of the world have it at every sixth character, so each piece of one has it whole.
const mark = 'zQx';

// Larger texts are pages of rows.
const decodedLength = 65_536;

/** Finds secrets in texts: plain, escaped, percent-encoded (twice too), in base64, in hexadecimal, or cut. */
export class Canary {
  readonly #pieces = new Map<string, string>();

  /** Adds a secret, and what to call it. */
  add(secret: string, name: string): void {
    for (let start = 0; start + pieceLength <= secret.length; start++)
      this.#pieces.set(secret.slice(start, start + pieceLength), name);
  }

  /** Each form in which a text shows ten characters of a secret or more, with what stands around them. */
  find(text: string): readonly string[] {
    return [...formsOf(text, text.length > decodedLength)].flatMap(([form, decoded]) => {
      for (let at = decoded.indexOf(mark); at >= 0; at = decoded.indexOf(mark, at + 1))
        for (let start = Math.max(0, at - pieceLength + mark.length); start <= at; start++) {
          const name = this.#pieces.get(decoded.slice(start, start + pieceLength));
          if (name !== undefined) return [`${name}, ${form}: …${decoded.slice(Math.max(0, start - 60), start + 60)}…`];
        }
      return [];
    });
  }
}
