import fc from 'fast-check';
import { rawNumber } from '../support/records.ts';
import { damagedText, headerText, hostileText } from './text.ts';
import { anyOperation, type Material } from './request-body.ts';
import { anyValue } from './value.ts';
import type { Header } from './wire.ts';

const version = '2026-07-28';
const versions = [version, version, version, '2025-11-25', '2025-06-18', '1999-01-01', ''];
const methods =
  'tools/call tools/call tools/call tools/call tools/list initialize ping server/discover subscriptions/listen'.split(
    ' ',
  );
const oddMethods = ['resources/list', 'notifications/initialized', 'constructor', '', '\0'];
const tools = 'spend spend_by_month charges_by_number failed_deliveries deliveries delivery find_connections connection'
  .split(' ')
  .concat(
    'connection_deliveries delivery_counts newest_missions mission search_schema run_query nothing __proto__ constructor'.split(
      ' ',
    ),
  );
const argumentNames =
  'startDate endDate first after id name status since until contains eventTypes interval connection active query variables words __proto__ then'.split(
    ' ',
  );
const longestText = 300_000;
const most = 30_000;

interface ToolMessage {
  readonly body: Buffer;
  readonly headers: readonly Header[];
}

const numbers = ['1', '0', '-0', '-1', '1.5', '1e400', '9223372036854775808'].map(rawNumber);
const id = fc.oneof(
  { arbitrary: fc.constantFrom<unknown>(1, 'a', '1', ...numbers, '', '\ud800', null, {}, [1]), weight: 3 },
  { arbitrary: hostileText(most), weight: 1 },
);
/** Metadata of the protocol, sound or not, and what may be many in it. */
const metadata = fc.record(
  {
    'io.modelcontextprotocol/protocolVersion': fc.constantFrom<unknown>(version, version, version, '2099-01-01', 7),
    'io.modelcontextprotocol/clientInfo': fc.oneof(
      fc.constant<unknown>({ name: 'attack', version: '1' }),
      fc.constant<unknown>({ name: 'attack', version: '1', icons: Array(most).fill(null) }),
      anyValue,
    ),
    'io.modelcontextprotocol/clientCapabilities': fc.oneof(fc.constant<unknown>({}), anyValue),
    progressToken: id,
    'switchboard/structuredContent': fc.constantFrom<unknown>(true, false, 1),
    traceparent: hostileText(1_000),
    more: anyValue,
  },
  { requiredKeys: ['io.modelcontextprotocol/protocolVersion', 'io.modelcontextprotocol/clientInfo'] },
);

function callArguments(material: Material): fc.Arbitrary<unknown> {
  const operation = anyOperation(material).map(({ query, variables }) => ({ query, variables }));
  const given = fc.dictionary(fc.constantFrom(...argumentNames), fc.oneof(anyValue, hostileText(longestText)), {
    maxKeys: 4,
    noNullPrototype: true,
  });
  const words = hostileText(longestText).map((text) => ({ words: text }));
  return fc.oneof(operation, given, words, fc.constant({}), anyValue);
}

/** The cancellation of a call, in a version that knows it: of its own, of another, or of none. */
const cancellation = id.map((requestId): ToolMessage => {
  const body = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });
  const headers = [['accept', 'application/json, text/event-stream'] as const];
  return { body: Buffer.from(body), headers };
});

/** A message to the tool server, with the headers that it needs, or lacks, or contradicts. */
export function toolMessage(material: Material): fc.Arbitrary<ToolMessage> {
  return fc.oneof({ arbitrary: anyMessage(material), weight: 9 }, { arbitrary: cancellation, weight: 1 });
}

function anyMessage(material: Material): fc.Arbitrary<ToolMessage> {
  return fc
    .record({
      method: fc.oneof(
        { arbitrary: fc.constantFrom(...methods), weight: 12 },
        { arbitrary: fc.oneof(fc.constantFrom(...oddMethods), hostileText(1_000)), weight: 1 },
      ),
      name: fc.constantFrom(...tools),
      id: fc.oneof({ arbitrary: fc.constant<unknown>(1), weight: 3 }, { arbitrary: id, weight: 1 }),
      meta: fc.option(metadata, { nil: undefined, freq: 3 }),
      args: callArguments(material),
      protocol: fc.constantFrom(...versions),
      session: fc.option(headerText(300), { nil: null, freq: 3 }),
      accept: fc.constantFrom('application/json, text/event-stream', '*/*', 'application/json', 'text/html', ''),
      isTrue: fc.constantFrom(true, true, true, false),
      damage: fc.constantFrom(false, false, false, false, false, true),
    })
    .chain(({ method, name, id: messageId, meta, args, protocol, session, accept, isTrue, damage }) => {
      const params = { name, arguments: args, ...(meta !== undefined && { _meta: meta }) };
      const text = JSON.stringify({ jsonrpc: '2.0', id: messageId, method, params });
      const headers: readonly Header[] = [
        ['accept', accept],
        ...(protocol === '' ? [] : [['mcp-protocol-version', protocol] as const]),
        ...(session === null ? [] : [['mcp-session-id', session] as const]),
        ['mcp-method', isTrue ? method.replace(/[^!-~]/g, '') : 'tools/list'],
        ['mcp-name', isTrue ? name : 'spend'],
      ];
      return (damage ? damagedText(text) : fc.constant(text)).map((body) => ({ body: Buffer.from(body), headers }));
    });
}
