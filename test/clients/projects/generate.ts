import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pageOf } from '../../documents/page.ts';
import { startGatewayProgram } from '../../support/program.ts';

// Runs the commands of the client guide for each project here, in front of a gateway. What they write is not kept in the repository.
const folder = import.meta.dirname;
const projects: Readonly<Record<string, string>> = {
  'Client preset': 'client-preset',
  'gql.tada': 'gql-tada',
  Houdini: 'houdini',
  genql: 'genql',
};

/** The commands of a section of the client guide, without those that install. */
function commandsOf(title: string): readonly string[] {
  const section = pageOf('docs/client-guide.md').sections.find((candidate) => candidate.title === title);
  const commands = (section?.blocks ?? [])
    .filter(({ language }) => language === 'sh')
    .flatMap(({ text }) => text.replaceAll('\\\n', ' ').trim().split('\n'))
    .filter((line) => !line.startsWith('npm i '));
  if (commands.length === 0) throw new Error(`docs/client-guide.md has no commands in ${title}.`);
  return commands;
}

const run = promisify(execFile);

async function generate(title: string, project: string, url: string): Promise<void> {
  const env = { ...process.env, PATH: `${join(folder, 'node_modules/.bin')}:${process.env['PATH'] ?? ''}` };
  for (const command of [...commandsOf('Clients'), ...commandsOf(title)]) {
    const line = command.replace(/^npx /, '').replaceAll('http://127.0.0.1:4000', url);
    await run('sh', ['-c', line], { cwd: join(folder, project), env });
  }
}

const { program, url } = await startGatewayProgram();
try {
  await Promise.all(Object.entries(projects).map(([title, project]) => generate(title, project, url)));
} finally {
  await program[Symbol.asyncDispose]();
}
