import { bigNumber, paged, rowsOf, strictPage } from './list.ts';
import { Random } from './random.ts';
import { accounts, anchor, madeBy, microsPerHour, microsPerSecond, timestamp, type Route } from './world.ts';

const missionCount = accounts.large.missions;
const subjects = [
  'Renewal calls',
  'Appointment reminders',
  'Delivery check',
  'Survey',
  'Invoice follow-up',
  'Welcome call',
];
const models = ['example/large-1', 'example/small-2', 'example/voice-1'];

function metadata(random: Random, index: number): object | null {
  if (index % 11 === 6) return null;
  if (index % 11 === 8) return {};
  return {
    region: random.pick(['emea', 'apac', 'amer']),
    retries: random.int(0, 5),
    score: random.int(0, 1000) / 1000,
    // Beyond 2^53: a client that reads it as a double changes it.
    ...(index % 5 === 0 && { batch_ref: bigNumber }),
    ...(index % 4 === 1 && {
      owner: { team: 'growth', 'cost centre': `cc-${random.digits(4)}`, backups: [null, true] },
    }),
    ...(index % 7 === 3 && { note: null, clé: 'Zürich ☎ 日本' }),
  };
}

function build(index: number) {
  const random = new Random(`mission:${index}`);
  const created = anchor - index * 31 * microsPerHour - random.int(0, 30 * 3600 * microsPerSecond);
  const subject = random.pick(subjects);
  return {
    mission_id: new Random(`mission-id:${index}`).uuid(),
    name: random.orNull(0.02, `${subject} ${missionCount - index}`),
    created_at: random.orNull(0.02, timestamp(created)),
    updated_at: random.orNull(0.1, timestamp(created + random.int(0, 20 * 3600 * microsPerSecond))),
    description: random.orNull(0.2, `${subject} for the ${random.pick(['spring', 'summer', 'autumn'])} programme.`),
    model: random.orNull(0.1, random.pick(models)),
    instructions: random.orNull(0.1, `Be brief.\nSay who is calling.\nTry at most ${random.int(1, 5)} times.`),
    ...(index % 29 !== 17 && { metadata: metadata(random, index) }),
    // Not in the contract (field notes); a client has to ignore it.
    ...(random.chance(0.9) && { execution_mode: random.pick(['external', 'managed']) }),
  };
}

/** The organization's missions, index 0 the newest. */
const missions = rowsOf(missionCount, build);

export const route: Route = {
  path: '/ai/missions',
  read: (query, { account, now }) => paged(madeBy(missions(), account.missions, now), strictPage(query, 1000)),
  find: (id, { account, now }) => madeBy(missions(), account.missions, now).find(({ mission_id }) => mission_id === id),
};
