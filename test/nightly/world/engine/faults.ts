import type { Random, Step, World } from '../types.ts';
import { apiPort } from './api-server.ts';
import type { LogFault, Replicas } from './replicas.ts';
import type { Store, StoreFault } from './store.ts';
import { jumpWall, standStill } from './time.ts';
import { blockPort, openSockets, type WorldSocket } from './wire.ts';

/** What faults act on. */
export interface FaultParts {
  readonly world: World;
  readonly replicas: Replicas;
  readonly store: Store;
}

interface Fault {
  /** Chooses what a step of this kind says. */
  readonly make: (random: Random, replicas: number) => Record<string, unknown>;
  readonly play: (step: Step, parts: FaultParts) => unknown;
}

const isApi = ({ remotePort }: WorldSocket): boolean => remotePort === apiPort;
const isClient = ({ remotePort, _server }: WorldSocket): boolean => remotePort >= 40_000 && _server === null;

/** Some of the connections of a kind, by chance. */
function some(parts: FaultParts, share: unknown, kind: (socket: WorldSocket) => boolean): readonly WorldSocket[] {
  return openSockets().filter((socket) => kind(socket) && parts.world.random.chance(Number(share)));
}

/** Lets a state last for a while. */
function forAWhile(parts: FaultParts, { ms }: Step, begin: () => void, end: () => void): void {
  begin();
  parts.world.after(Number(ms), end);
}

/** Every fault of the world around the gateway that is not one of the API's answers. */
export const faults: Readonly<Record<string, Fault>> = {
  'replica.kill': {
    make: (random, replicas) => ({ replica: random.below(replicas), ms: 50 + random.below(20_000) }),
    play: (step, { replicas, world }) => {
      replicas.kill(Number(step['replica']));
      world.after(Number(step['ms']), () => {
        if (!replicas.running.includes(Number(step['replica']))) void replicas.start(Number(step['replica']));
      });
    },
  },
  'replica.deploy': {
    make: (random, replicas) => ({ replica: random.below(replicas) }),
    play: (step, { replicas }) => replicas.deploy(Number(step['replica'])),
  },
  'clock.jump': {
    make: (random) => ({ ms: (random.below(240) - 120) * 1_000 }),
    play: ({ ms }) => jumpWall(Number(ms)),
  },
  'process.standstill': {
    make: (random) => ({ ms: 20 + random.below(6_000) }),
    play: ({ ms }) => standStill(Number(ms)),
  },
  'store.fault': {
    make: (random) => ({
      fault: random.pick(['mute', 'full', 'lying', 'slow', 'gone']),
      ms: 100 + random.below(30_000),
    }),
    play: (step, parts) =>
      forAWhile(
        parts,
        step,
        () => {
          parts.store.fault = step['fault'] as StoreFault;
          if (step['fault'] === 'gone') parts.store.cut();
        },
        () => (parts.store.fault = null),
      ),
  },
  'store.forget': {
    make: () => ({}),
    play: (_step, { store }) => {
      store.forget();
      store.cut();
    },
  },
  'store.cut': { make: () => ({}), play: (_step, { store }) => store.cut() },
  'api.unreachable': {
    make: (random) => ({ block: random.pick(['refuse', 'silence']), ms: 100 + random.below(10_000) }),
    play: (step, parts) =>
      forAWhile(
        parts,
        step,
        () => blockPort(apiPort, step['block'] as 'refuse' | 'silence'),
        () => blockPort(apiPort, null),
      ),
  },
  'api.cut': {
    make: (random) => ({ share: 0.2 + 0.8 * random.next() }),
    play: ({ share }, parts) => {
      for (const socket of some(parts, share, isApi)) {
        socket.peer?.reset();
        socket.reset();
      }
    },
  },
  'api.lost': {
    make: (random) => ({ share: 0.2 + 0.8 * random.next() }),
    play: ({ share }, parts) => {
      for (const socket of some(parts, share, isApi)) socket.isMute = true;
    },
  },
  'client.cut': {
    make: (random) => ({ share: 0.2 + 0.8 * random.next() }),
    play: ({ share }, parts) => {
      for (const socket of some(parts, share, isClient)) {
        socket.peer?.reset();
        socket.reset();
      }
    },
  },
  'client.half': {
    make: (random) => ({ share: 0.2 + 0.8 * random.next() }),
    play: ({ share }, parts) => {
      for (const socket of some(parts, share, isClient)) if (socket.bytesWritten > 0) socket.end();
    },
  },
  'client.stall': {
    make: (random) => ({ share: 0.1 + 0.5 * random.next(), ms: 100 + random.below(30_000) }),
    play: (step, parts) => {
      const stalled = some(parts, step['share'], isClient);
      forAWhile(
        parts,
        step,
        () => stalled.forEach((socket) => socket.stall(true)),
        () => stalled.forEach((socket) => socket.stall(false)),
      );
    },
  },
  'log.fault': {
    make: (random) => ({ fault: random.pick(['full', 'unread', 'halves']), ms: 100 + random.below(20_000) }),
    play: (step, parts) =>
      forAWhile(
        parts,
        step,
        () => (parts.replicas.logFault = step['fault'] as LogFault),
        () => (parts.replicas.logFault = null),
      ),
  },
};

/** Some faults within a time. */
export function makeFaults(random: Random, lengthMs: number, replicas: number): Step[] {
  const kinds = Object.keys(faults);
  const most = random.chance(0.2) ? 0 : 1 + random.below(12);
  return Array.from({ length: most }, () => {
    const kind = random.pick(kinds);
    const made = faults[kind]?.make(random, replicas);
    return { at: random.below(Math.max(1, lengthMs)), kind, ...made };
  });
}
