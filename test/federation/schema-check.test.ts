import { describe } from 'vitest';
import { expect, test } from './project-copy.ts';

const mission = 'schema/mission.graphql';
const instructions = / {2}".*"\n {2}instructions: String\n/;
const printed = 'src/generated/client-schema.graphql';
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

  test('passes once the break is acknowledged, and not before', async ({ project }) => {
    project.edit(mission, instructions, '');
    const before = project.read(printed);
    expect(await project.run('print')).toMatchObject({ code: 1 });
    expect(project.read(printed)).toBe(before);
    expect(await project.run('print', '--acknowledge')).toMatchObject({ code: 0 });
    expect(project.read(printed)).not.toContain('  instructions: String');
    expect(await project.run('check')).toEqual({ code: 0, out: '' });
  });

  test('fails where the committed schema is behind its sources, until it is printed', async ({ project }) => {
    project.edit(mission, /"Name of the mission\./, '"The name of the mission.');
    const { code, out } = await project.run('check');
    expect(code).toBe(1);
    expect(out).toContain('npm run codegen');
    expect(await project.run('print')).toMatchObject({ code: 0 });
    expect(await project.run('check')).toEqual({ code: 0, out: '' });
  });

  test('fails where the committed picture is behind the schema, until it is drawn', async ({ project }) => {
    project.edit(picture, />instructions</, '>instruction<');
    const { code, out } = await project.run('check');
    expect(code).toBe(1);
    expect(out).toContain('npm run codegen');
    expect(await project.run('print')).toMatchObject({ code: 0 });
    expect(project.read(picture)).toContain('>instructions<');
    expect(await project.run('check')).toEqual({ code: 0, out: '' });
  });

  test('ignores directives that only a supergraph uses', async ({ project }) => {
    project.edit(mission, / @key\(fields: "id"\)/, '');
    expect(await project.run('check')).toEqual({ code: 0, out: '' });
  });
});
