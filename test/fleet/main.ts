import { findProgram, instructions, packages, type ProgramName } from './programs.ts';

// Runs before `npm run test:fleet`: a test that cannot run must not look like one that passes.
const missing = (Object.keys(packages) as ProgramName[]).filter((name) => findProgram(name) === null);
if (missing.length > 0) {
  console.error(instructions(missing));
  process.exitCode = 1;
}
