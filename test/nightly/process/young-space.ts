import { getHeapSpaceStatistics } from 'node:v8';

// Loaded before a gateway. At SIGUSR2 it prints the mebibytes that V8 has for young objects, creates many that live, and prints them again.
const kept: object[] = [];

process.on('SIGUSR2', () => {
  const before = youngMebibytes();
  for (let count = 0; count < 500_000; count++) kept.push({ count });
  console.log(`young: ${before}, then ${youngMebibytes()}`);
});

function youngMebibytes(): number {
  const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
  return Math.round((young?.space_size ?? 0) / 2 ** 20);
}
