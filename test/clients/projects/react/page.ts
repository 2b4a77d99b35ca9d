import { Window } from 'happy-dom';

// What React and the hooks need of a browser. It is imported before React, which looks for it when it is loaded.
const window = new Window({ url: 'http://localhost/' });

/** An observer of a window that is so high that all is in sight, and says so again and again. */
class AllInSight {
  readonly #look: (entries: readonly { readonly isIntersecting: boolean }[]) => void;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(look: (entries: readonly { readonly isIntersecting: boolean }[]) => void) {
    this.#look = look;
  }

  observe(): void {
    this.#timer = setInterval(() => this.#look([{ isIntersecting: true }]), 1);
  }

  disconnect(): void {
    clearInterval(this.#timer);
  }
}

Object.assign(globalThis, { window, document: window.document, IntersectionObserver: AllInSight });

export const body = window.document.body as unknown as HTMLElement;
