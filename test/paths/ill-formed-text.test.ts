import { expect, test } from '../support/gateway.ts';
import { writtenFromBytes } from '../support/metrics.ts';
import { missionRecord } from '../support/records.ts';

const query = '{ missions(first: 3) { nodes { id name description metadata } } }';
const large = 'x'.repeat(2 ** 21);

/** A page of two missions, of which the second has these members as they stand on the wire. */
function body(members: Readonly<Record<string, string>>, padding = ''): Buffer {
  const plain = JSON.stringify({ ...missionRecord({ mission_id: 'a', metadata: {} }), padding });
  const own = Object.entries(members).map(([name, value]) => `"${name}":${value}`);
  const odd = `{"mission_id":"b","name":"n","description":"d","metadata":{"k":1},"x":"\\ud83d",${own.join()}}`;
  const meta = '{"total_results":2,"total_pages":1,"page_number":1,"page_size":3}';
  // Each letter is a byte.
  return Buffer.from(
    `{"data":[${plain},${odd.replace('"name":"n","description":"d","metadata":{"k":1},', rest(members))}],"meta":${meta}}`,
    'latin1',
  );
}

function rest(members: object): string {
  const all = { name: '"n"', description: '"d"', metadata: '{"k":1}' };
  const left = Object.entries(all).filter(([name]) => !Object.hasOwn(members, name));
  return left.map(([name, value]) => `"${name}":${value},`).join('');
}

const halves: readonly (readonly [field: string, value: string])[] = [
  ['name', '"cut \\ud83d"'],
  ['name', '"\\ude00 cut"'],
  ['name', '"\\uD83D\\uD83D\\uDE00"'],
  ['name', '"cut \xf0\x9f\x98"'],
  ['name', '"\xff"'],
  ['name', '"\\ud83d\xff"'],
  ['name', '"whole \xef\xbf\xbd, cut \xe9"'],
  ['description', '"\\ud83d\\u0041"'],
  ['metadata', '{"a":"\\ud83d"}'],
  ['metadata', '{"\\ud83d":1}'],
  ['metadata', '{"a":[{"b":["\\udfff"]}]}'],
  ['metadata', '{"a":1.50,"b":"\\ud83d"}'],
  ['metadata', '{"a":12345678901234567890,"b":"\xff"}'],
];

test.for(halves)(
  'half of a character costs its own field alone, on every path: %s %s',
  async ([field, value], { startWith, upstream }) => {
    for (const compiled of ['true', 'false']) {
      const gateway = await startWith({ COMPILE_OPERATIONS: compiled });
      for (const padding of ['', large]) {
        upstream.script(() => ({ act: (res) => void res.end(body({ [field]: value }, padding)) }));
        const { data, errors, text } = await gateway.query(query);
        const [whole, cut] = data.missions.nodes;
        expect(whole).not.toMatchObject({ [field]: null });
        expect(cut).toEqual({ id: 'b', name: 'n', description: 'd', metadata: { k: 1 }, [field]: null });
        expect(errors).toMatchObject([
          { path: ['missions', 'nodes', 1, field], extensions: { code: 'UPSTREAM_BAD_RESPONSE' } },
        ]);
        expect(text.isWellFormed() && !/\\ud[89a-f]/i.test(text)).toBe(true);
      }
    }
  },
);

test.for(['"\\ud83d\\ude00"', '"\xf0\x9f\x98\x80"', '"a\\\\ud83d"', '"\xef\xbf\xbd"', '"\\ufffd"'])(
  'whole characters are shown: %s',
  async (value, { startWith, upstream }) => {
    for (const compiled of ['true', 'false']) {
      const gateway = await startWith({ COMPILE_OPERATIONS: compiled });
      for (const padding of ['', large]) {
        upstream.script(() => ({ act: (res) => void res.end(body({ name: value }, padding)) }));
        const { data, errors } = await gateway.query(query);
        expect([errors, data.missions.nodes[1].name]).toEqual([
          [],
          JSON.parse(Buffer.from(value, 'latin1').toString()),
        ]);
      }
    }
  },
);

test('bytes alone write what is whole, and leave to plans what is not', async ({ gateway, upstream }) => {
  for (const [value, written] of [
    ['"whole"', 1],
    ['"cut \\ud83d"', 0],
    ['"cut \xf0"', 0],
    ['"\\ud83d\\ude00"', 0],
  ] as const) {
    upstream.script(() => ({ act: (res) => void res.end(body({ name: value })) }));
    const before = await writtenFromBytes(gateway);
    await gateway.query('{ missions(first: 3) { nodes { name } } }');
    expect([value, (await writtenFromBytes(gateway)) - before]).toEqual([value, written]);
  }
  expect(upstream.requests).toHaveLength(4);
});

test('texts of errors are made whole', async ({ gateway, upstream }) => {
  upstream.script(() => ({ status: 500, text: '{"errors":[{"title":"t\\ud83d","detail":"cut \\ud83d"}]}' }));
  const { text, errors } = await gateway.query('{ missions { totalCount } }');
  expect(errors[0]).toMatchObject({
    message: 'cut \ufffd',
    extensions: { upstream: { title: 't\ufffd', detail: 'cut \ufffd' } },
  });
  expect(text).not.toContain(String.raw`\ud83d`);
  const own = await gateway.query('{ missions(first: "\\ud83d") { totalCount } }');
  expect(/\\ud83d[^\\]/.test(own.text) && !own.errors[0].message.isWellFormed()).toBe(false);
});
