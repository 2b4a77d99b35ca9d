import { registerHooks } from 'node:module';
import { real } from './time.ts';

/** A fault in the source, put there while it is loaded. */
export interface Plant {
  /** A file of `src/`. */
  readonly file: string;
  /** A text that the file has once, and what stands there instead. */
  readonly text: string;
  readonly replacement: string;
}

/** What the world runs of the gateway. */
export interface Gateway
  extends
    Pick<typeof import('../../../../src/app.ts'), 'startApp'>,
    Pick<typeof import('../../../../src/config.ts'), 'readConfig'>,
    Pick<typeof import('../../../../src/telemetry/log.ts'), 'createLog'>,
    Pick<typeof import('../../../../src/telemetry/line-output.ts'), 'LineOutput'>,
    Pick<typeof import('../../../../src/telemetry/metrics.ts'), 'createMetrics'> {
  /** One for all replicas. */
  readonly schema: ReturnType<(typeof import('../../../../src/app.ts'))['buildAppSchema']>;
}

const source = new URL('../../../../src/', import.meta.url).href;
const plants: Plant[] = [];
const loaded = new Map<string, Promise<Gateway>>();

// Modules of a gateway with a planted fault have its number in their URLs, so that one process can have several gateways.
registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context);
    const number = /\?plant=\d+$/.exec(context.parentURL ?? '')?.[0];
    const isPlanted = number !== undefined && resolved.url.startsWith(source) && !resolved.url.includes('?');
    return isPlanted ? { ...resolved, url: resolved.url + number } : resolved;
  },
  load(url, context, next) {
    const result = next(url, context);
    const [, path, number] = /^(.*)\?plant=(\d+)$/.exec(url) ?? [];
    const plant = plants[Number(number)];
    if (plant === undefined || path !== source + plant.file) return result;
    const { file, text, replacement } = plant;
    const bytes = result.source ?? '';
    const code = typeof bytes === 'string' ? bytes : Buffer.from(bytes as Uint8Array).toString('utf8');
    if (code.split(text).length !== 2) throw new Error(`${file} does not have this text once: ${text}`);
    return { ...result, source: code.replace(text, () => replacement) };
  },
});

/** Loads the gateway, as it is or with a planted fault. Throws where the fault's text does not stand in its file once. */
export function loadGateway(plant: Plant | null): Promise<Gateway> {
  const name = JSON.stringify(plant);
  const known = loaded.get(name) ?? load(plant);
  loaded.set(name, known);
  return known;
}

async function load(plant: Plant | null): Promise<Gateway> {
  const query = plant === null ? '' : `?plant=${plants.push(plant) - 1}`;
  const of = (path: string): Promise<never> => import(`${source}${path}${query}`) as Promise<never>;
  const app = (await of('app.ts')) as typeof import('../../../../src/app.ts');
  const { readConfig } = (await of('config.ts')) as typeof import('../../../../src/config.ts');
  const { createLog } = (await of('telemetry/log.ts')) as typeof import('../../../../src/telemetry/log.ts');
  const { LineOutput } = (await of(
    'telemetry/line-output.ts',
  )) as typeof import('../../../../src/telemetry/line-output.ts');
  const { createMetrics } = (await of('telemetry/metrics.ts')) as typeof import('../../../../src/telemetry/metrics.ts');
  // A world has no time for what is loaded on its first use.
  await of('fleet/redis/store.ts');
  await of('mcp/protocol.ts');
  await new Promise((resolve) => real.setTimeout(resolve, 50));
  return { startApp: app.startApp, schema: app.buildAppSchema(), readConfig, createLog, LineOutput, createMetrics };
}
