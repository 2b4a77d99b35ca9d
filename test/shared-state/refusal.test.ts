import { expect, onTestFinished, test, vi } from 'vitest';
import { createSharedReports, refusalBelievedMs } from '../../src/fleet/fleet.ts';
import { createCallerSecrets } from '../../src/fleet/shared-store.ts';

const own = { key: 'own', identity: 'own here' };
const other = { key: 'other', identity: 'other here' };

test('a refusal is believed of who has the key, for a moment: nothing else that comes over Redis refuses a caller', () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const sent: Buffer[] = [];
  const heard: unknown[] = [];
  let hear: (notice: Buffer) => void = () => {};
  const send = (_channel: string, notice: Buffer) => void sent.push(notice);
  const notices = { send, watch: (_channel: string, run: typeof hear) => ((hear = run), () => {}) };
  const secretsOf = createCallerSecrets('https://api.example.com/v2');
  const shared = createSharedReports(null, notices, secretsOf, 1_000);
  shared.watchRefusals((...refusal) => heard.push(refusal));
  shared.refuse(own, 403, 'GET /charges_summary');
  const [real] = sent as [Buffer];
  hear(real);
  expect(heard.splice(0)).toEqual([['own here', 403, 'GET /charges_summary']]);
  // Not sealed; for somebody else; once more, later on.
  const { name } = secretsOf(own);
  hear(Buffer.from(`${name}401 GET /charges_summary`));
  hear(Buffer.concat([Buffer.from(secretsOf(other).name), real.subarray(name.length)]));
  vi.setSystemTime(Date.now() + refusalBelievedMs);
  hear(real);
  expect(heard).toEqual([]);
});
