import { followDeliveries, type FeedEvent, type FeedOptions, type FeedStateChanged } from './follow.ts';

/** What a tab asks for: to follow, or to leave. All tabs of one worker ask for the same. */
export type Asked = { readonly follow: FeedOptions } | 'leave';

/** What it is told: that it is followed, once, and then the events. */
export type Answered = 'joined' | FeedEvent<unknown>;

/** The tabs, and of each whether it came behind a cursor at which the stream no longer stood, and has not been told so. */
const ports = new Map<MessagePort, boolean>();
let stop: (() => void) | null = null;
let state: FeedStateChanged | null = null;

function join(port: MessagePort, options: FeedOptions): void {
  const { after = null } = options;
  ports.set(port, state !== null && after !== null && after !== state.cursor);
  answer(port, 'joined');
  if (state !== null) answer(port, state);
  stop ??= followDeliveries(options, tell);
}

function tell(event: FeedEvent<unknown>): void {
  // A tab that joins is told where the stream stands then.
  if (event.type === 'state') state = event;
  else if (event.type === 'delivery' && state !== null) state = { ...state, cursor: event.cursor };
  for (const port of ports.keys()) answer(port, event);
  if (event.type === 'end') for (const port of ports.keys()) leave(port);
}

function leave(port: MessagePort): void {
  ports.delete(port);
  if (ports.size > 0) return;
  stop?.();
  stop = null;
  state = null;
}

function answer(port: MessagePort, answered: Answered): void {
  const isLive = answered !== 'joined' && answered.type === 'state' && answered.state === 'LIVE';
  const hasMissed = isLive && ports.get(port) === true;
  if (hasMissed) ports.set(port, false);
  // A port has no origin to name.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  port.postMessage(hasMissed ? { ...answered, missed: true } : answered);
}

function connect({ ports: [port] }: MessageEvent): void {
  if (port === undefined) return;
  port.addEventListener('message', ({ data }: MessageEvent<Asked>) => {
    if (data === 'leave') leave(port);
    else join(port, data.follow);
  });
  // Of a tab that is gone.
  port.addEventListener('close', () => leave(port));
  port.start();
}

(globalThis as unknown as EventTarget).addEventListener('connect', (event) => connect(event as MessageEvent));
