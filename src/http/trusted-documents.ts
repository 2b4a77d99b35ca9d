import { setImmediate as nextTick } from 'node:timers/promises';
import type { DocumentNode } from 'graphql';
import type { DocumentsById } from './trusted-document-reader.ts';

/** Reads the trusted documents in steps of some milliseconds. Throws where they cannot be served. */
export type ReadTrustedDocuments = () => Generator<undefined, DocumentsById>;

/** The trusted documents that are served now. They change as a whole. */
export class TrustedDocuments {
  readonly #read: ReadTrustedDocuments;
  #documents: DocumentsById;
  #rereading: Promise<number> | null = null;
  #isStale = false;

  /** Reads the documents at once. Throws where they cannot be served. */
  constructor(read: ReadTrustedDocuments) {
    this.#read = read;
    const reading = read();
    let step = reading.next();
    while (step.done !== true) step = reading.next();
    this.#documents = step.value;
  }

  /** Returns the document with this identifier; undefined where there is none. */
  get(id: string): DocumentNode | undefined {
    return this.#documents.get(id);
  }

  /**
   * Reads the documents again between other work, and resolves to the number of their identifiers. Rejects where they cannot be
   * served; then those from before stay. Files that change during a reading are read once more after it.
   */
  reread(): Promise<number> {
    this.#isStale = true;
    this.#rereading ??= this.#rereadWhileStale().finally(() => {
      this.#rereading = null;
    });
    return this.#rereading;
  }

  async #rereadWhileStale(): Promise<number> {
    let documents = this.#documents;
    let failure: unknown = null;
    while (this.#isStale) {
      this.#isStale = false;
      failure = null;
      try {
        documents = await inSteps(this.#read());
      } catch (error) {
        failure = error;
      }
    }
    if (failure !== null) throw failure;
    this.#documents = documents;
    return documents.size;
  }
}

async function inSteps(reading: Generator<undefined, DocumentsById>): Promise<DocumentsById> {
  for (;;) {
    await nextTick();
    const { done, value } = reading.next();
    if (done === true) return value;
  }
}
