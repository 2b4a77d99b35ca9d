import { query, type StreamRun } from './stream-run.ts';
import type { TerminalLine } from './terminal.ts';

const longest = 104;

/** Tells a run as a terminal shows it: what was typed, what came, and a word on each part. */
export function tellRun({ before, after, lastEventId }: StreamRun): readonly TerminalLine[] {
  return [
    { kind: 'comment', text: '# Follow new deliveries, as they appear in an API that cannot push', pauseMs: 0 },
    {
      kind: 'command',
      text: "$ curl -N -G localhost:4000/graphql -H 'Authorization: Bearer sandbox-key' \\",
      pauseMs: 800,
    },
    { kind: 'command', text: "    -H 'Accept: text/event-stream' \\", pauseMs: 0 },
    { kind: 'command', text: `    --data-urlencode 'query=${query}'`, pauseMs: 0 },
    ...output(before),
    { kind: 'comment', text: '# The gateway restarts. Two deliveries appear meanwhile.', pauseMs: 1_600 },
    { kind: 'comment', text: '# Go on where the stream was', pauseMs: 1_600 },
    { kind: 'command', text: `$ curl -N -G … -H 'Last-Event-ID: ${short(lastEventId, 40)}'`, pauseMs: 800 },
    ...output(after),
    { kind: 'comment', text: '# Every five seconds one: nothing lost, nothing twice', pauseMs: 1_600 },
  ];
}

/** The events of an output without their names and the lines between them. */
function output(lines: readonly string[]): readonly TerminalLine[] {
  const told = lines.filter(
    (line, at) => line.startsWith('data: {') || (line.startsWith('id: ') && hasEvent(lines, at)),
  );
  return told.map((line) => ({
    kind: line.includes('"errors"') ? 'error' : line.startsWith('id: ') ? 'quiet' : 'output',
    text: short(line, longest),
    pauseMs: line.startsWith('id: ') ? 1_100 : 0,
  }));
}

/** Whether the id at this place has an event, and does not stand before the first. */
function hasEvent(lines: readonly string[], at: number): boolean {
  return lines.slice(at + 1, at + 3).some((line) => line.startsWith('data: {'));
}

function short(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}
