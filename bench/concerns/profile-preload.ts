import { renameSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';

// Preloaded into a server: the first SIGUSR2 begins a profile of the processor, and the second ends it and writes it to a file.
const file = process.env['BENCH_PROFILE_FILE'];
const intervalMicros = 250;

if (file !== undefined) {
  const session = new Session();
  session.connect();
  let isRunning = false;
  const begin = async (): Promise<void> => {
    isRunning = true;
    await session.post('Profiler.enable');
    await session.post('Profiler.setSamplingInterval', { interval: intervalMicros });
    await session.post('Profiler.start');
  };
  const end = async (): Promise<void> => {
    isRunning = false;
    const { profile } = await session.post('Profiler.stop');
    // Renamed when whole: a reader waits for this file.
    writeFileSync(`${file}.part`, JSON.stringify(profile));
    renameSync(`${file}.part`, file);
  };
  process.on('SIGUSR2', () => void (isRunning ? end() : begin()));
}
