import { Session } from 'node:inspector/promises';
import { startSwitchboard } from '../../src/testing.ts';

// Prints, as JSON, the functions of each file below src/ that run for one request of a gateway that has answered none before.

const sources = new URL('../../src/', import.meta.url).href;
const gateway = await startSwitchboard();
const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
const response = await fetch(gateway.graphqlUrl, {
  method: 'POST',
  headers: { 'content-type': 'application/json', authorization: 'Bearer sandbox-key' },
  body: JSON.stringify({ query: process.argv[2] }),
});
await response.text();
const { result } = await session.post('Profiler.takePreciseCoverage');
await gateway.close();

const ran = result
  .filter(({ url }) => url.startsWith(sources) && !url.startsWith(`${sources}sandbox/`))
  .map(({ url, functions }) => {
    const called = functions.filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0);
    return [`src/${url.slice(sources.length)}`, called.map(({ functionName }) => functionName)] as const;
  });
process.stdout.write(JSON.stringify(Object.fromEntries(ran.filter(([, functions]) => functions.length > 0))));
