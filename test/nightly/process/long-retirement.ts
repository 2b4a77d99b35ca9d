import { registerHooks } from 'node:module';

// Loaded before a gateway. It serves new connections for six times as long after the signal that stops it, so that a test on a busy
// machine sees what they get.
registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    if (!url.endsWith('/src/http/connection/listener.ts')) return loaded;
    const source = Buffer.from(loaded.source as Uint8Array)
      .toString()
      .replace(/(?<=\bretiringMs = )500\b/, '3_000');
    if (!source.includes('retiringMs = 3_000')) throw new Error('The bound retiringMs is not where it was.');
    return { ...loaded, source };
  },
});
