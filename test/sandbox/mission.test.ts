import { expect, test } from 'vitest';
import { sandboxClient } from './client.ts';

const { get } = sandboxClient();
const path = '/ai/missions';

test('the list has 230 missions in pages of 20', async () => {
  const { status, body } = await get(path);
  expect(status).toBe(200);
  expect(body.data).toHaveLength(20);
  expect(body.meta).toEqual({ total_pages: 12, total_results: 230, page_number: 1, page_size: 20 });
});

test('a page of 1000 holds all missions, each once, every field but the id null somewhere', async () => {
  const { body } = await get(path, { 'page[size]': '1000' });
  expect(new Set(body.data.map((row: any) => row.mission_id)).size).toBe(230);
  for (const name of ['name', 'created_at', 'updated_at', 'description', 'model', 'instructions', 'metadata']) {
    expect(body.data.some((row: any) => row[name] === null)).toBe(true);
  }
  expect(body.data.some((row: any) => !('metadata' in row))).toBe(true);
});

test('metadata carries an integer beyond 2^53 as a bare JSON number', async () => {
  const { text } = await get(path, { 'page[size]': '1' });
  expect(text).toContain('"batch_ref":9007199254740993}');
});

test('a page past the end is empty', async () => {
  const { status, body } = await get(path, { 'page[number]': '13' });
  expect(status).toBe(200);
  expect(body.data).toEqual([]);
  expect(body.meta).toEqual({ total_pages: 12, total_results: 230, page_number: 13, page_size: 20 });
});

test.each([
  ['page[size]', '1001', 'less_than_equal'],
  ['page[size]', '0', 'greater_than_equal'],
  ['page[size]', 'many', 'int_parsing'],
  ['page[size]', '', 'int_parsing'],
  ['page[number]', '0', 'greater_than_equal'],
  ['page[number]', '-1', 'greater_than_equal'],
  ['page[number]', '1.5', 'int_parsing'],
])('%s=%s is refused with 422 in the detail shape', async (name, given, type) => {
  const { status, body } = await get(path, { [name]: given });
  expect(status).toBe(422);
  expect(body).toEqual({ detail: [{ loc: ['query', name], msg: expect.any(String), type }] });
});

test('two faults are listed together', async () => {
  const { body } = await get(path, { 'page[size]': '9999', 'page[number]': '0' });
  expect(body.detail.map((fault: any) => fault.loc[1])).toEqual(['page[number]', 'page[size]']);
});

test('one mission is read by its id', async () => {
  const listed = (await get(path)).body.data[5];
  expect((await get(`${path}/${listed.mission_id}`)).body).toEqual({ data: listed });
});
