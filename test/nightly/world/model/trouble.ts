import type { Step } from '../types.ts';

/** What a fault of the engine may do to answers, and for how long behind its own time. */
interface Harm {
  /** Whether answers may be cut, or never come. */
  readonly isCut?: boolean;
  /** Whether streams may be cut: whoever ends their side of one may have left. */
  readonly isStreamCut?: boolean;
  /** Whether answers may be late. */
  readonly isLate?: boolean;
  /** The codes of errors that may come of it. */
  readonly codes?: readonly string[];
  readonly afterMs: number;
  /** Whether what replicas share may be gone. */
  readonly isStore?: boolean;
}

// What is not here harms no answer: a clock that jumps, a store or a log that fails, another version.
const harms: Readonly<Record<string, Harm>> = {
  'replica.kill': { isCut: true, isLate: true, afterMs: 5_000 },
  'process.standstill': { isLate: true, codes: ['UPSTREAM_TIMEOUT', 'UPSTREAM_UNAVAILABLE'], afterMs: 10_000 },
  'api.unreachable': { isLate: true, codes: ['UPSTREAM_UNAVAILABLE', 'UPSTREAM_TIMEOUT'], afterMs: 45_000 },
  'api.cut': { isLate: true, codes: ['UPSTREAM_UNAVAILABLE', 'UPSTREAM_TIMEOUT'], afterMs: 30_000 },
  'api.lost': { isLate: true, codes: ['UPSTREAM_UNAVAILABLE', 'UPSTREAM_TIMEOUT'], afterMs: 60_000 },
  'client.cut': { isCut: true, isLate: true, afterMs: 1_000 },
  'client.half': { isStreamCut: true, afterMs: 1_000 },
  'client.stall': { isCut: true, isLate: true, afterMs: 20_000 },
};

const storeHarm: Harm = { isStore: true, afterMs: 20_000 };

const harmless: Harm = { afterMs: 0 };

/** A span in which the engine disturbs a replica, or all of them. */
interface Trouble {
  readonly from: number;
  readonly to: number;
  readonly replica: number | null;
  readonly harm: Harm;
}

/** What the engine does to replicas and wires, and what may come of it. */
export class TroubleLog {
  readonly #replicas: number;
  /** How far the gateway's clock is ahead of the API's. */
  clockOffsetMs = 0;
  readonly #troubles: Trouble[] = [];
  readonly #deploys: { readonly at: number; readonly replica: number }[] = [];

  constructor(replicas: number) {
    this.#replicas = replicas;
  }

  /** Notes a fault of the engine, before it comes. */
  note(step: Step, now: number): void {
    const replica = typeof step['replica'] === 'number' ? step['replica'] : null;
    if (step.kind === 'replica.deploy') this.#deploys.push({ at: now, replica: replica ?? 0 });
    const harm = harms[step.kind] ?? (step.kind.startsWith('store.') ? storeHarm : harmless);
    const ms = typeof step['ms'] === 'number' ? Math.abs(step['ms']) : 0;
    if (step.kind === 'clock.jump') this.clockOffsetMs += Number(step['ms']);
    this.#troubles.push({ from: now, to: now + ms + harm.afterMs, replica, harm });
  }

  #troublesOf(replica: number, from: number, to: number): readonly Trouble[] {
    const served = replica % this.#replicas;
    return this.#troubles.filter((each) => (each.replica ?? served) === served && each.from <= to && each.to >= from);
  }

  /** Whether the engine disturbed a replica within a span, so that answers may be late. */
  isTroubled(replica: number, from: number, to: number): boolean {
    return this.#troublesOf(replica, from, to).some(({ harm }) => harm.isLate === true);
  }

  /** Whether answers of a replica may be cut. */
  mayBeCut(replica: number, from: number, to: number, isStream: boolean): boolean {
    return this.#troublesOf(replica, from, to).some(
      ({ harm }) => harm.isCut === true || (isStream && harm.isStreamCut === true),
    );
  }

  /** The codes of errors that the engine's faults explain. */
  codesOfTroubles(replica: number, from: number, to: number): readonly string[] {
    return this.#troublesOf(replica, from, to).flatMap(({ harm }) => harm.codes ?? []);
  }

  /** When a replica began anew last; minus infinity where it has not. */
  begunAt(replica: number, before: number): number {
    const served = replica % this.#replicas;
    const starts = this.#troubles.filter((each) => each.replica === served && each.from <= before);
    return Math.max(-Infinity, ...starts.map(({ from }) => from));
  }

  /** Whether what replicas share may have been gone within a span. */
  isStoreTroubled(from: number, to: number): boolean {
    return this.#troubles.some(
      ({ harm, from: begun, to: ended }) => harm.isStore === true && begun <= to && ended >= from,
    );
  }

  /** Whether a replica gave its place to another within a span. */
  isReplaced(replica: number, from: number, to: number): boolean {
    return this.#deploys.some(
      (each) => each.replica === replica % this.#replicas && each.at <= to && each.at + 12_000 >= from,
    );
  }
}
