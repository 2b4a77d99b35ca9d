import { largeBody } from '../bounds.ts';
import type { Call } from './call.ts';
import type { Read } from './endpoint.ts';
import type { KeptReports, OpenReport } from './kept-reports.ts';
import { requestOf, type Prepared } from './prepared-call.ts';
import { releaseLater, releasing } from './response/hold.ts';
import type { ResponseReader } from './response/response-reader.ts';
import type { WireResponse } from './response/wire-response.ts';
import { Flight } from './single-flight.ts';
import type { Receiver, Send } from './stages/stage.ts';
import type { UnreadReport } from './unread-report.ts';

/** A response and its body as it was read, with free-form numbers as text or not; both null where nobody has read it yet. */
export interface SharedResponse<Body> {
  readonly response: WireResponse;
  readonly read: Read<Body> | null;
  readonly body: Body | null;
  /** The report that is kept of it, unread: whoever reads it finds out for all whether it is one. */
  readonly report: UnreadReport<Body> | undefined;
  /** The body as the other functions read it, once somebody has asked for that: two at most, where nobody has read it yet. */
  otherwise?: Map<Read<Body>, Promise<Body>>;
}

/** What all calls are made with. */
export interface CallParts {
  readonly collect: Send<WireResponse>;
  readonly reports: KeptReports;
  readonly reader: ResponseReader;
}

/** A call that is made, and read, once for all who wait for it. */
export class SharedCall<Body> extends Flight<SharedResponse<Body>> implements Receiver<WireResponse> {
  readonly #parts: CallParts;
  readonly #prepared: Prepared;
  readonly #call: Call<Body>;
  readonly #read: Read<Body>;
  readonly #isRead: boolean;
  #report: OpenReport<Body> | null = null;

  /** Where `isRead` is false, a body that is not large is left unread. */
  constructor(parts: CallParts, prepared: Prepared, call: Call<Body>, read: Read<Body>, isRead: boolean) {
    super();
    this.#parts = parts;
    this.#prepared = prepared;
    this.#call = call;
    this.#read = read;
    this.#isRead = isRead;
  }

  start(): void {
    const { collect, reports } = this.#parts;
    try {
      const request = requestOf(this.#prepared, this.#call, this, false);
      const send = (): void => collect(request, this);
      const report = reports.open(this.#prepared, this.#call);
      this.#report = report;
      if (report === null) return send();
      report.find().then(
        (found) => (found === null ? send() : this.answered(found)),
        (error: unknown) => this.failed(error),
      );
    } catch (error) {
      this.failed(error);
    }
  }

  answered(response: WireResponse): void {
    try {
      this.#parts.reports.noteRefusal(this.#prepared, this.#call, response);
      // A large body has its turn to be read, and is never shown from its bytes.
      if (this.#isRead || response.body.length >= largeBody) return void this.#readAll(response);
      if (response.hold !== undefined) releaseLater(response.hold);
      const report = response.status === 200 ? this.#report?.keepUnread(response, this.#read) : undefined;
      return this.#end({ response, read: null, body: null, report });
    } catch (error) {
      return this.failed(error);
    }
  }

  failed(error: unknown): void {
    this.#report?.end();
    this.fail(error);
  }

  async #readAll(response: WireResponse): Promise<void> {
    const { reader } = this.#parts;
    try {
      const reading = reader.read(response, this.#call, this.#read, this.#prepared.key, this.signal);
      const body = await releasing(response.hold, reading);
      this.#report?.keep(body, response.body);
      this.#end({ response, read: this.#read, body, report: undefined });
    } catch (error) {
      this.failed(error);
    }
  }

  #end(shared: SharedResponse<Body>): void {
    this.#report?.end();
    this.settle(shared);
  }
}
