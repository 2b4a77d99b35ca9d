/** An HTTP/1.1 response as it came over the wire; `isWhole` is false where the connection ended within it. */
export interface WireResponse {
  readonly status: number;
  /** By lower-case name; equal names are joined by a comma. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
  readonly isWhole: boolean;
}

type Framing = { readonly kind: 'length' | 'chunk'; left: number } | { readonly kind: 'chunk head' | 'until close' };

interface Draft {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly pieces: Buffer[];
  framing: Framing;
}

/** Reads the responses of one connection out of its bytes; what it cannot read is left in `unread`. */
export class ResponseParser {
  readonly responses: WireResponse[] = [];
  readonly #hasBodies: boolean;
  #unread: Buffer = Buffer.alloc(0);
  #draft: Draft | null = null;

  /** `hasBodies` is false for the responses to HEAD. */
  constructor({ hasBodies = true } = {}) {
    this.#hasBodies = hasBodies;
  }

  get unread(): Buffer {
    return this.#unread;
  }

  /** The response that has begun: its head has come, and not yet its end. */
  get begun(): WireResponse | null {
    return this.#draft && whole(this.#draft, false);
  }

  /** Whether a stream of events has begun, or a response in pieces. */
  get isStreaming(): boolean {
    return /^(?:text\/event-stream|multipart\/)/.test(this.#draft?.headers.get('content-type') ?? '');
  }

  take(chunk: Buffer): void {
    this.#unread = this.#unread.length === 0 ? chunk : Buffer.concat([this.#unread, chunk]);
    while (this.#step());
  }

  /** The connection has ended. */
  end(): void {
    const draft = this.#draft;
    if (draft === null) return;
    this.responses.push(whole(draft, draft.framing.kind === 'until close'));
    this.#draft = null;
  }

  /** Whether it got any further. */
  #step(): boolean {
    if (this.#draft === null) return this.#readHead();
    const { framing } = this.#draft;
    if (framing.kind === 'chunk head') return this.#readChunkHead(this.#draft);
    const most = 'left' in framing ? framing.left : Number.POSITIVE_INFINITY;
    const piece = this.#unread.subarray(0, Math.min(most, this.#unread.length));
    this.#unread = this.#unread.subarray(piece.length);
    this.#draft.pieces.push(piece);
    if (!('left' in framing)) return false;
    framing.left -= piece.length;
    if (framing.left > 0) return false;
    if (framing.kind === 'chunk') this.#draft.framing = { kind: 'chunk head' };
    else this.#finish(this.#draft);
    return true;
  }

  #finish(draft: Draft): void {
    this.responses.push(whole(draft, true));
    this.#draft = null;
  }

  #readHead(): boolean {
    const end = this.#unread.indexOf('\r\n\r\n');
    if (end < 0) return false;
    const [first = '', ...lines] = this.#unread.subarray(0, end).toString('latin1').split('\r\n');
    const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(first)?.[1] ?? Number.NaN);
    if (Number.isNaN(status)) return false;
    this.#unread = this.#unread.subarray(end + 4);
    // An informational response comes before the final one.
    if (status < 200) return true;
    const headers = headersOf(lines);
    this.#draft = { status, headers, pieces: [], framing: framingOf(headers) };
    const isBare = !this.#hasBodies || status === 204 || status === 304 || headers.get('content-length') === '0';
    if (isBare) this.#finish(this.#draft);
    return true;
  }

  #readChunkHead(draft: Draft): boolean {
    const unread = this.#unread;
    // Behind a chunk stands a line break of its own.
    const start = unread[0] === 13 ? 2 : 0;
    const end = unread.indexOf('\r\n', start);
    if (end < 0) return false;
    const length = Number.parseInt(unread.toString('latin1', start, end), 16);
    if (length > 0) {
      this.#unread = unread.subarray(end + 2);
      draft.framing = { kind: 'chunk', left: length };
      return true;
    }
    if (unread.length < end + 4) return false;
    this.#unread = unread.subarray(end + 4);
    this.#finish(draft);
    return true;
  }
}

function headersOf(lines: readonly string[]): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  for (const line of lines) {
    const [name = '', ...value] = line.split(':');
    const known = headers.get(name.toLowerCase());
    const text = value.join(':').trim();
    headers.set(name.toLowerCase(), known === undefined ? text : `${known}, ${text}`);
  }
  return headers;
}

function framingOf(headers: ReadonlyMap<string, string>): Framing {
  if (/chunked/i.test(headers.get('transfer-encoding') ?? '')) return { kind: 'chunk head' };
  const length = headers.get('content-length');
  return length === undefined ? { kind: 'until close' } : { kind: 'length', left: Number(length) };
}

function whole({ status, headers, pieces }: Draft, isWhole: boolean): WireResponse {
  return { status, headers, body: Buffer.concat(pieces), isWhole };
}
