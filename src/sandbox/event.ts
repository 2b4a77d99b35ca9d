import { timestamp } from './clock.ts';
import { bigNumber, type Json } from './json.ts';
import type { Random } from './random.ts';

/** The event types of the sandbox's deliveries, the commonest first. */
const eventTypes = [
  'call_initiated',
  'call_answered',
  'call_hangup',
  'call_bridged',
  'call_dtmf_received',
  'call_recording_saved',
  'call_machine_detection_ended',
  'conference_participant_joined',
  'fax_received',
] as const;

type EventType = (typeof eventTypes)[number];

function call(random: Random) {
  return {
    call_control_id: `v2:${random.hex(40)}`,
    call_session_id: random.uuid(),
    direction: random.pick(['incoming', 'outgoing']),
    from: `+1555${random.digits(7)}`,
    to: random.chance(0.5) ? `+44${random.digits(10)}` : 'sip:desk@trunk.example.com',
  };
}

const detailByType: Record<EventType, (random: Random) => { [name: string]: Json }> = {
  call_initiated: (random) => ({ state: 'parked', start_time: null, client_state: random.orNull(0.5, 'c2FuZGJveA==') }),
  call_answered: (random) => ({ state: 'answered', answer_delay_secs: random.int(1, 40) }),
  call_hangup: (random) => ({
    hangup_cause: random.pick(['normal_clearing', 'user_busy', 'call_rejected', 'timeout']),
    hangup_source: random.pick(['caller', 'callee']),
    call_quality_stats: random.orNull(0.3, { inbound: { mos: '4.50', packet_count: random.int(100, 90_000) } }),
    // An account-wide sequence that has outgrown a double.
    ...(random.chance(0.1) && { cdr_sequence: bigNumber('9007199254740993') }),
  }),
  call_bridged: (random) => ({ bridged_to: `v2:${random.hex(40)}` }),
  call_dtmf_received: (random) => ({ digit: random.pick(['0', '1', '5', '9', '#', '*']) }),
  call_recording_saved: (random) => ({
    channels: random.pick(['single', 'dual']),
    recording_urls: { mp3: `https://media.example.com/recordings/${random.hex(12)}.mp3` },
  }),
  call_machine_detection_ended: (random) => ({ result: random.pick(['human', 'machine', 'not_sure']) }),
  conference_participant_joined: (random) => ({ conference_id: random.uuid(), muted: random.chance(0.2) }),
  fax_received: (random) => ({ fax_id: random.uuid(), page_count: random.int(1, 40), status: 'received' }),
};

function eventType(random: Random): EventType {
  // The first types get about half of all events, as calls do in practice.
  return random.chance(0.5) ? random.pick(eventTypes.slice(0, 3)) : random.pick(eventTypes);
}

/** One delivered event (contract, "Event"), with the connection's id in its payload. */
export function event(random: Random, occurredAt: number, connectionId: string) {
  const type = eventType(random);
  return {
    record_type: 'event',
    id: random.uuid(),
    event_type: random.orNull(0.002, type),
    occurred_at: random.orNull(0.005, timestamp(occurredAt)),
    payload: random.orNull(0.005, { connection_id: connectionId, ...call(random), ...detailByType[type](random) }),
  };
}
