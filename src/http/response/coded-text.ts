import type { IncomingMessage } from 'node:http';
import { compress } from './compression.ts';
import type { ChooseCoding, Coding } from './content-coding.ts';

/** The bytes of a text in one coding, and the headers that belong to them. */
export interface CodedBody {
  readonly body: Buffer;
  readonly headers: { readonly 'content-length': number; readonly 'content-encoding'?: Coding };
}

/** A text in the coding that a client asks for. */
export type CodedText = (req: IncomingMessage) => Promise<CodedBody>;

/** Serves a text that never changes: it is compressed once for each coding, and all requests share the bytes. */
export function createCodedText(text: Buffer, chooseCoding: ChooseCoding): CodedText {
  const compressed = new Map<Coding, Promise<Buffer>>();

  function bodyIn(coding: Coding): Promise<Buffer> {
    const body = compressed.get(coding) ?? compress(coding, text);
    compressed.set(coding, body);
    return body;
  }

  return async (req) => {
    const coding = chooseCoding(req);
    if (coding === null) return { body: text, headers: { 'content-length': text.length } };
    const body = await bodyIn(coding);
    return { body, headers: { 'content-length': body.length, 'content-encoding': coding } };
  };
}
