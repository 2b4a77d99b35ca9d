import { expect } from '../../support/gateway.ts';
import * as records from '../../support/records.ts';
import { pageReply } from '../../support/scripted-upstream.ts';
import { test } from '../subscription.ts';

// Readers of lines differ in what ends one, besides what ends one here (spec: HTML, "Server-sent events").
const ends = '\u0085\u2028\u2029';
const evil = `x${ends}event: complete${ends}id: 1.x${ends}${ends}data: {}${ends}--graphql${ends}---`;
const unescaped = /[\u0085\u2028\u2029]/;
const accepted = { events: 'text/event-stream', parts: 'multipart/mixed;subscriptionSpec="1.0", application/json' };

/** Collects a body as it comes; the function that it returns has the text so far. */
function collected({ body }: Response): () => string {
  let text = '';
  const read = async (): Promise<void> => {
    for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) text += chunk;
  };
  read().catch(() => {});
  return () => text;
}

test.for([
  ['server-sent events', accepted.events, /^data: (.*"DeliveryArrived".*)$/m, 'data'],
  ['parts', accepted.parts, /^\{"payload":(.*"DeliveryArrived".*)\}\r$/m, 'data'],
] as const)('no text ends a line in %s', async ([, accept, line], { deliveries, gateway }) => {
  const query = `subscription { deliveryFeed { __typename ... on DeliveryArrived { delivery {
    status webhook { payload } attempts { errors }
  } } } }`;
  const text = collected(await gateway.post({ query }, { accept }));
  await expect.poll(text).toContain('FeedStateChanged');
  deliveries.add([10], { status: evil, webhook: { payload: { [evil]: evil } } });
  await expect.poll(text).toMatch(line);
  expect(text()).not.toMatch(unescaped);
  expect(JSON.parse(line.exec(text())?.[1] ?? '').data.deliveryFeed.delivery).toMatchObject({
    status: evil,
    webhook: { payload: { [evil]: evil } },
  });
});

test.for([
  ['pieces', 'multipart/mixed;deferSpec=20220824, application/json', '@defer'],
  ['events', 'text/event-stream', '@defer'],
  ['one event', 'text/event-stream', ''],
] as const)('no text of an answer that comes in %s ends a line', async ([, accept, defer], { gateway, upstream }) => {
  upstream.script((request) =>
    request.path === '/charges_summary'
      ? { json: { errors: [{ code: '10015', title: evil, detail: evil }] }, status: 422 }
      : pageReply([records.missionRecord({ mission_id: 'm', name: evil })], request),
  );
  const query = `{
    missions { nodes { name } }
    ... ${defer} { later: missions { nodes { name } } }
    ... ${defer} { chargesSummary(startDate: "2026-10-01", endDate: "2026-11-01") { currency } }
  }`;
  const text = await (await gateway.post({ query }, { accept })).text();
  expect(text).not.toMatch(unescaped);
  const texts = [...text.matchAll(/\{.*\}/g)].map(([json]) => JSON.stringify(JSON.parse(json))).join('');
  expect(texts).toContain(`"name":${JSON.stringify(evil)}`);
  expect(texts).toContain('"BAD_USER_INPUT"');
});
