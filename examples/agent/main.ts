import { converse } from './conversation.ts';
import { startGateway } from './gateway.ts';
import { createToolClient } from './tool-client.ts';

await using gateway = await startGateway();
const client = createToolClient(gateway.url, 'sandbox-key');
const list = await client.list();
const turns = await converse(client);
// The log line of a request is written when its connection is done with it.
await new Promise((resolve) => setTimeout(resolve, 100));

const callsOf = (requestId: string): number => gateway.upstreamCalls.get(requestId) ?? 0;
const rows = turns.map(({ question, tool, bytes, requestId, isError }, index) => {
  const isSame = turns[index - 1]?.question === question;
  return [isSame ? '' : question, isError ? `${tool} (refused)` : tool, String(bytes), String(callsOf(requestId))];
});
const bytes = turns.reduce((sum, turn) => sum + turn.bytes, 0);
const calls = turns.reduce((sum, turn) => sum + callsOf(turn.requestId), 0);
const table = [
  ['question', 'tool', 'bytes read', 'upstream calls'],
  ['', 'tools/list', String(list.bytes), '0'],
  ...rows,
  ['all together', `${turns.length} calls`, String(bytes + list.bytes), String(calls)],
];
const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? [];
for (const row of table)
  console.log(
    row
      .map((cell, column) => (column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  '),
  );
