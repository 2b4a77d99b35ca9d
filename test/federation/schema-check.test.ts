import { describe } from 'vitest';
import { expect, test } from './project-copy.ts';

const mission = 'schema/mission.graphql';
const instructions = / {2}".*"\n {2}instructions: String\n/;
const printed = 'schema.graphql';
const picture = 'src/generated/schema-picture.svg';

describe('the check of the printed schema', () => {
  test('fails where a change breaks clients, and lists what breaks', async ({ project }) => {
    project.edit(mission, instructions, '');
    project.edit(mission, / name: String\n/, ' name: Int\n');
    project.edit(mission, / model: String\n/, ' model: String\n  modelFamily: String\n');
    const { code, out } = await project.run('check');
    expect(code).toBe(1);
    const [breaking, others] = out.split('Other changes of the schema:');
    expect(breaking).toContain("Field 'instructions' was removed from object type 'Mission'");
    expect(breaking).toContain("Field 'Mission.name' changed type from 'String' to 'Int'");
    expect(others).toContain("Field 'modelFamily' was added to object type 'Mission'");
    expect(others).toContain('npm run codegen -- --acknowledge');
  });

  test('prints it once the break is acknowledged, and not before, and fails where the picture is another', async ({
    project,
  }) => {
    project.edit(mission, instructions, '');
    const before = project.read(printed);
    expect(await project.run('print')).toMatchObject({ code: 1 });
    expect(project.read(printed)).toBe(before);
    expect(await project.run('print', '--acknowledge')).toMatchObject({ code: 0 });
    expect(project.read(printed)).not.toContain('  instructions: String');
    // Directives that only a supergraph uses are none of it.
    expect(project.read(printed)).not.toContain('@key');
    project.edit(picture, />Mission</, '>another<');
    expect(await project.run('check')).toEqual({ code: 1, out: expect.stringContaining('npm run codegen') });
  });

  test('fails where the committed schema is behind its sources', async ({ project }) => {
    project.edit(mission, /"Name of the mission\./, '"The name of the mission.');
    expect(await project.run('check')).toEqual({ code: 1, out: expect.stringContaining('npm run codegen') });
  });
});
