import { expect, onTestFinished, test, vi } from 'vitest';
import { createSharedReports, refusalBelievedMs } from '../../src/fleet/fleet.ts';
import { createCallerSecrets, type Notice } from '../../src/fleet/shared-store.ts';

const own = { key: 'own', identity: 'own here' };
const other = { key: 'other', identity: 'other here' };

test('a refusal is believed of who has the key, for a moment: nothing else that comes over Redis refuses a caller', () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const sent: Notice[] = [];
  const heard: unknown[] = [];
  let hear: (notice: Notice) => void = () => {};
  const notices = { send: (notice: Notice) => void sent.push(notice), watch: (run: typeof hear) => void (hear = run) };
  const secretsOf = createCallerSecrets('https://api.example.com/v2');
  const shared = createSharedReports(null, notices, secretsOf, 1_000);
  shared.watchRefusals((...refusal) => heard.push(refusal));
  shared.refuse(own, 403, 'GET /charges_summary');
  const [real] = sent as [Notice];
  hear(real);
  expect(heard.splice(0)).toEqual([['own here', 403, 'GET /charges_summary']]);
  // As earlier versions sent it; for somebody else; once more, later on.
  hear({ ...real, value: '401 GET /charges_summary' });
  hear({ ...real, name: secretsOf(other).name });
  vi.setSystemTime(Date.now() + refusalBelievedMs);
  hear(real);
  expect(heard).toEqual([]);
});
