const times = Number(process.env['RUNS'] ?? 1);

/** How many random runs a test makes: so many, and ten times as many in a long run (`RUNS=10 npm run test:all`). */
export function runs(count: number): number {
  return count * times;
}
