import type { Random, Step, World } from '../types.ts';
import { apiPort } from './api-server.ts';
import type { Replicas } from './replicas.ts';
import { jumpWall, standStill } from './time.ts';
import { blockPort, openSockets, type WorldSocket } from './wire.ts';

/** What faults act on. */
export interface FaultParts {
  readonly world: World;
  readonly replicas: Replicas;
}

interface Fault {
  /** Chooses what a step of this kind says. */
  readonly make: (random: Random, replicas: number) => Record<string, unknown>;
  readonly play: (step: Step, parts: FaultParts) => unknown;
}

const isApi = ({ remotePort }: WorldSocket): boolean => remotePort === apiPort;
const isClient = ({ remotePort, _server }: WorldSocket): boolean => remotePort >= 40_000 && _server === null;

/** Cuts some of the connections of a kind, by chance. */
function cut({ world }: FaultParts, { share }: Step, isIts: (socket: WorldSocket) => boolean): void {
  for (const socket of openSockets().filter((each) => isIts(each) && world.random.chance(Number(share)))) {
    socket.peer?.reset();
    socket.reset();
  }
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
  'api.unreachable': {
    make: (random) => ({ block: random.pick(['refuse', 'silence']), ms: 100 + random.below(10_000) }),
    play: ({ block, ms }, { world }) => {
      blockPort(apiPort, block as 'refuse' | 'silence');
      world.after(Number(ms), () => blockPort(apiPort, null));
    },
  },
  'api.cut': {
    make: (random) => ({ share: 0.2 + 0.8 * random.next() }),
    play: (step, parts) => cut(parts, step, isApi),
  },
  'client.cut': {
    make: (random) => ({ share: 0.2 + 0.8 * random.next() }),
    play: (step, parts) => cut(parts, step, isClient),
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
