import { expect, judge, test } from '../../support/gateway.ts';
import { writtenFromBytes } from '../../support/metrics.ts';
import * as records from '../../support/records.ts';
import { pageReply } from '../../support/scripted-upstream.ts';

const query = '{ webhookDeliveries { nodes { attempts { http { request { headers { name value } } } } } } }';

function deliveryWith(names: readonly string[]): records.JsonRecord {
  const headers = names.map((name) => [name, 'hush']);
  const attempt = records.attemptRecord({ http: { request: { url: 'https://x.test', headers }, response: null } });
  return records.webhookDeliveryRecord({ attempts: [attempt] });
}

// The transcoder reads names in blocks of sixteen bytes.
const lengths = Array.from({ length: 50 }, (_, index) => index + 1);

test('headers with plain names of any length are written from bytes', async ({ gateway, startWith, upstream }) => {
  const general = await startWith({}, judge);
  const names = lengths.flatMap((length) => ['a'.repeat(length), `Z${'-_9'.repeat(length)}`.slice(0, length)]);
  upstream.script((request) => pageReply([deliveryWith([...names, 'cookie', 'X-API-Key', 'xcookie'])], request));
  const { text } = await gateway.query(query);
  expect(await writtenFromBytes(gateway)).toBe(1);
  expect(text).toBe((await general.query(query)).text);
  expect(text.match(/\[redacted\]/g)).toHaveLength(2);
});

// Neighbours of letters and digits in ASCII, and characters that lower case, trimming or bytes could take for something else.
const odd = ' \t/:@[`{"\\^~\u007f\u0080\u00a0é\u212a\u017f\ufeff'.split('');

test('a header with an odd character in its name is shown as without bytes, wherever it stands', async ({
  gateway,
  startWith,
  upstream,
}) => {
  const general = await startWith({}, judge);
  const words = ['set-cookie', 'proxy-authorization', 'x'.repeat(33)];
  const names = odd.flatMap((character) =>
    words.flatMap((word) => [0, 3, 15, 16, word.length].map((at) => word.slice(0, at) + character + word.slice(at))),
  );
  let name = '';
  upstream.script((request) => pageReply([deliveryWith([name])], request));
  for (name of new Set([...names, '', '-cookie', '_cookie'])) {
    const { text } = await gateway.query(query);
    expect(text, JSON.stringify(name)).toBe((await general.query(query)).text);
  }
  expect(await writtenFromBytes(gateway)).toBe(0);
});
