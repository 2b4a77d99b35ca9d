import { readFileSync } from 'node:fs';
import { buildSchema, getNamedType, isObjectType, parse, print, visit as walk, type GraphQLObjectType } from 'graphql';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Page } from '../../../test/pages/browser/chromium.ts';
import { labelOf, settingsOf } from '../src/connections/setting.ts';
import { settle } from './dashboard.ts';
import { asks, visitDashboard } from './visit.ts';

const here = visitDashboard();
const { begin, button, section } = here;
let page: Page;

beforeEach(() => {
  page = here.visit.page;
});

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');

/** What is not shown of a connection: the secret, and its deliveries, which have a section of their own. */
const leftOut = new Set(['ipAuthenticationToken', 'webhookDeliveries']);

describe('a connection on the dashboard', () => {
  it('is asked for all fields of its type but the secret', () => {
    const schema = buildSchema(read('../../../src/generated/client-schema.graphql'), { assumeValidSDL: true });
    const asked = new Set<string>();
    walk(parse(read('../src/operations/connection.graphql')), { Field: ({ name }) => void asked.add(name.value) });
    const fieldsOf = (type: GraphQLObjectType): readonly string[] =>
      Object.values(type.getFields())
        .filter(({ name }) => !leftOut.has(name))
        .flatMap(({ name, type: of }) => {
          const named = getNamedType(of);
          return isObjectType(named) ? [name].concat(fieldsOf(named)) : [name];
        });
    const fields = fieldsOf(schema.getType('IpConnection') as GraphQLObjectType);
    expect(fields.length).toBeGreaterThan(60);
    expect(fields.filter((name) => !asked.has(name))).toEqual([]);
    expect(print(parse(read('../src/operations/connection.graphql')))).not.toMatch(/ipAuthenticationToken\b/);
  });

  it('opens to all of its fields, by their labels', async () => {
    await begin();
    const answer = page.waitForResponse((response) => asks(response.request(), 'Connection'));
    await section('connections').locator('.toggle').first().click();
    const { data } = (await (await answer).json()) as { readonly data: { readonly node: object } };
    await settle(page);
    const details = section('connections').locator('.details');
    const settings = settingsOf(data.node).flatMap((group) => group.settings);
    expect(settings.length).toBeGreaterThanOrEqual(60);
    const terms = await details.locator('dt').allTextContents();
    expect(terms).toEqual(settings.map(({ label }) => label));
    const titles = await details.locator('h3').allTextContents();
    expect(titles).toEqual(settingsOf(data.node).flatMap(({ title }) => title ?? []));
    expect(titles).toEqual(expect.arrayContaining(['Jitter buffer', 'RTCP settings', 'Inbound', 'Outbound']));
  });

  it.each([
    ['webhookEventUrl', 'Webhook event address'],
    ['timeout1xxSecs', 'Timeout 1xx (seconds)'],
    ['onnetT38PassthroughEnabled', 'On-net T38 passthrough enabled'],
    ['iosPushCredentialId', 'iOS push credential ID'],
    ['t38ReinviteSource', 'T38 reinvite source'],
    ['jitterbufferMsecMin', 'Jitterbuffer min (ms)'],
    ['id', 'ID'],
  ])('calls %s “%s”', (field, label) => {
    expect(labelOf(field)).toBe(label);
  });
});

describe('a copy button', () => {
  it('copies what stands beside it, and says so', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await begin();
    await section('connections').locator('.toggle').first().click();
    const address = section('connections').locator('.settings > div', { hasText: /^Webhook event address/ });
    await address.getByRole('button', { name: 'Copy Webhook event address' }).click();
    await address.getByText('Copied').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^https:\/\//);
    await section('deliveries').locator('.toggle').first().click();
    const delivery = section('deliveries').locator('.facts > div').first();
    await delivery.getByRole('button', { name: 'Copy Delivery' }).click();
    await delivery.getByText('Copied').waitFor();
    expect(await delivery.textContent()).toContain(await page.evaluate(() => navigator.clipboard.readText()));
  });

  it('says where the browser does not let it', async () => {
    await page.addInitScript(() => {
      navigator.clipboard.writeText = () => Promise.reject(new Error('forbidden'));
    });
    await page.reload();
    await begin();
    await section('missions').locator('summary').first().click();
    await button('missions', 'Copy instructions').first().click();
    await expect.poll(() => section('missions').locator('.copied').first().textContent()).toBe('Not copied');
  });
});

describe('a text of the platform', () => {
  const attack = '<img src=x onerror="window.harmed=1"><script>window.harmed=1</script>';

  it('is shown as text wherever it stands, never as HTML', async () => {
    await page.route('**/graphql', async (route) => {
      const response = await route.fetch();
      const text = await response.text();
      const body = text.replaceAll(
        /("(?:connectionName|name|description|instructions|body|url|eventType|status|value|webhookEventUrl|sipRegion)":)"(?:[^"\\]|\\.)*"/g,
        (_match, name: string) => name + JSON.stringify(attack),
      );
      await route.fulfill({ response, body });
    });
    await begin();
    await section('charges').getByText('Figures of all').click();
    await section('connections').locator('.toggle').first().click();
    await section('deliveries').locator('.toggle').first().click();
    await section('missions').locator('summary').first().click();
    await settle(page);
    await section('charges').locator('.chart').hover();
    for (const id of ['charges', 'connections', 'deliveries', 'missions'])
      expect(await section(id).getByText(attack).count()).toBeGreaterThan(0);
    expect(await section('deliveries').locator('pre').first().textContent()).toBe(attack);
    expect(await page.locator('main img, main script').count()).toBe(0);
    expect(await page.evaluate(() => 'harmed' in window)).toBe(false);
  });
});
