import type { Step } from '../types.ts';

// A clock that jumps, and a replica that gives its place to another, harm no answer.
const harmless: ReadonlySet<string> = new Set(['clock.jump', 'replica.deploy']);

// For so long what the engine does is felt behind its own time.
const feltMs = 60_000;

/** Whether what a step does is a reason for errors. */
export function causesErrors(kind: string): boolean {
  return /^(?:api|replica|process)\.|^(?:fault|key|revocation)$/.test(kind);
}

/** When the engine disturbs a replica, or all of them: answers may be late or cut then. */
export class Disturbances {
  readonly #spans: { readonly from: number; readonly to: number; readonly replica: number | null }[] = [];

  /** Notes a fault of the engine, before it comes. */
  note({ kind, replica, ms = 0 }: Step, now: number): void {
    if (harmless.has(kind)) return;
    const to = now + Number(ms) + feltMs;
    this.#spans.push({ from: now, to, replica: typeof replica === 'number' ? replica : null });
  }

  /** Whether a replica was disturbed within a span. */
  has(replica: number, from: number, to: number): boolean {
    return this.#spans.some((span) => (span.replica ?? replica) === replica && span.from <= to && span.to >= from);
  }
}
