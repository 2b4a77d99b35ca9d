import { decodedPiece } from '../../../src/upstream/response/csv-report.ts';
import { downloadReport, expect, testOfFile as test, type Gateway } from '../../support/gateway.ts';
import { stall, watched, type Reply } from '../../support/scripted-upstream.ts';

const field = '{ chargesBreakdownCsv(startDate: "2026-10-01") { content } }';

/** Bytes under a status and a media type, or under none; the first come one by one. */
const answer = (bytes: string | Buffer, { status = 200, type = '', encoding = '' } = {}): Reply => ({
  act: (res) => {
    if (type !== '') res.setHeader('content-type', type);
    if (encoding !== '') res.setHeader('content-encoding', encoding);
    res.writeHead(status);
    const all = Buffer.from(bytes as Buffer);
    for (const byte of all.subarray(0, 10)) res.write(Buffer.from([byte]));
    res.end(all.subarray(10));
  },
});

const codesOf = (errors: readonly { extensions: { code: string } }[]) =>
  errors.map(({ extensions }) => extensions.code);

/** What the field tells of an answer: its text, or the codes of its errors. */
async function shown(gateway: Gateway): Promise<unknown> {
  const { data, errors } = await gateway.query(field);
  return data.chargesBreakdownCsv?.content ?? codesOf(errors);
}

/** What the field and the export tell of it. */
async function told(gateway: Gateway): Promise<readonly unknown[]> {
  const response = await downloadReport(gateway);
  const text = await response.text();
  if (response.status !== 200) return [await shown(gateway), codesOf(JSON.parse(text).errors)];
  expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  return [await shown(gateway), text];
}

const report = 'tn,cost\r\n+1,0.10\r\n';

test.for([201, 203, 204, 206])('only a whole 200 is a response: not %d', async (status, { gateway, upstream }) => {
  for (const [body, type] of [
    ['', 'text/csv'],
    [report, 'text/csv'],
    [JSON.stringify({ data: [], meta: {} }), 'application/json'],
  ] as const) {
    upstream.script(() => answer(status === 204 ? '' : body, { status, type }));
    expect(await told(gateway)).toEqual([['UPSTREAM_BAD_RESPONSE'], ['UPSTREAM_BAD_RESPONSE']]);
    const { data, errors } = await gateway.query('{ missions { totalCount nodes { id } } }');
    expect(data).toEqual({ missions: null });
    expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_BAD_RESPONSE', upstream: { status } } }]);
  }
});

test.for<[what: string, reply: Reply]>([
  [
    'a part of it',
    stall('tn,cost\n', { status: 206, headers: { 'content-type': 'text/csv', 'content-range': 'bytes 0-9/*' } }),
  ],
  ['an error in its place', stall('x'.repeat(2 ** 21), { status: 500 })],
])('a report is not waited for where %s never ends', async ([, endless], { gateway, upstream }) => {
  const { reply, left } = watched(endless);
  upstream.script(() => reply);
  expect((await downloadReport(gateway)).status).toBe(502);
  await left;
});

test.for<[what: string, reply: Reply, code?: string]>([
  ['JSON without a media type', answer('{"data":{"canary":true}}')],
  ['JSON behind blanks', answer(`${' \r\n\t'.repeat(1_000)}{"canary":1}`, { type: 'text/csv' })],
  ['JSON behind a byte order mark', answer('\uFEFF\n{"canary":1}', { type: 'text/plain' })],
  ['a page behind a byte order mark and blanks', answer('\uFEFF \n<html>canary', { type: 'text/csv' })],
  ['a page that begins with a comment', answer('<!-- canary --><html>', { type: 'text/csv' })],
  ['nothing but blanks for ever', answer(' '.repeat(5_000) + report)],
  ['a report that is compressed', answer(report, { encoding: 'gzip', type: 'text/csv' })],
  ['what was compressed and does not say so', answer(Buffer.from([0x1f, 0x8b, 0x08, 0x00]), { type: 'text/csv' })],
  ['a report in UTF-16', answer(Buffer.from('\uFEFFtn', 'utf16le'), { type: 'text/csv' })],
  ['an error without a media type', answer(' {"errors":[{"code":"10010"}]}'), 'FORBIDDEN'],
])('%s is no report', async ([, reply, code = 'UPSTREAM_BAD_RESPONSE'], { gateway, upstream }) => {
  upstream.script(() => reply);
  expect(await told(gateway)).toEqual([[code], [code]]);
});

test.for([
  ['of one line', report],
  ['that is empty', ''],
  ['behind a byte order mark', `\uFEFF${report}`],
  ['behind blanks', `\n  ${report}`],
  ['with a name in quotes', `"{tn}"\n`],
  ['that begins with a number', '1;2'],
] as const)('a report %s is one, under whatever media type, or none', async ([, text], { gateway, upstream }) => {
  for (const type of ['text/csv', 'text/plain', 'application/octet-stream', '']) {
    upstream.script(() => answer(text, { type }));
    // A reader of text takes the mark away.
    expect(await told(gateway)).toEqual([text, text.replace(/^\uFEFF/, '')]);
  }
});

test.for(['é', '語', '😀'])('a report is whole where its pieces meet: %s', async (character, { gateway, upstream }) => {
  for (let before = 0; before <= 4; before++) {
    const text = 'x'.repeat(decodedPiece - before) + character.repeat(decodedPiece / 2);
    upstream.script(() => answer(text, { type: 'text/csv' }));
    expect((await told(gateway)).map((each) => each === text)).toEqual([true, true]);
  }
});

const marked = '\uFEFFtn,name\r\n1,é€\r\n';

// axios/axios#1561: what a response says of its charset was not looked at.
test.for<[type: string, body: Buffer, text: string]>([
  ['text/csv; charset=iso-8859-1', Buffer.from('a,é\n', 'latin1'), 'a,é\n'],
  ['text/csv;charset="Windows-1252"', Buffer.from([0x61, 0x2c, 0x80, 0x0a]), 'a,€\n'],
  ['text/csv; charset=utf-16', Buffer.from(marked, 'utf16le'), marked],
  ['text/csv; charset=utf-16', Buffer.from(marked, 'utf16le').swap16(), marked],
  ['text/csv; charset=iso-8859-1', Buffer.from(marked), marked],
])('a report in %s is decoded', async ([type, body, text], { gateway, upstream }) => {
  upstream.script(() => answer(body, { type }));
  expect(await told(gateway)).toEqual([text, text.replace(/^\uFEFF/, '')]);
});

test.for<[type: string, body: Buffer]>([
  ['text/csv; charset=klingon', Buffer.from('a,b')],
  ['text/csv', Buffer.from([0x61, 0x2c, 0xe9, 0x0a])],
  ['text/csv; charset=utf-8', Buffer.from([0x61, 0x2c, 0xf0, 0x9f, 0x98])],
])('a report that is not in %s fails', async ([type, body], { gateway, upstream }) => {
  upstream.script(() => answer(body, { type }));
  expect(await shown(gateway)).toEqual(['UPSTREAM_BAD_RESPONSE']);
});
