import { CombinedGraphQLErrors } from '@apollo/client';
import { CombinedError } from '@urql/core';
import { GraphQLError } from 'graphql';
import { onTestFinished, vi } from 'vitest';
import {
  downloadCharges,
  gatewayErrorCodes,
  gatewayErrorsIn,
  isGatewayError,
  isRetryable,
  retryAfterSecondsOf,
  type GatewayErrorCode,
} from '../../client/src/index.ts';
import { GatewayError, type ErrorCode } from '../../src/errors.ts';
import { read } from '../documents/page.ts';
import { expect, test } from '../support/gateway.ts';
import { noticeOf } from './error-notice.ts';
import { october, refusal, refusingCharges } from './upstream.ts';

const query = `query($startDate: Date!, $endDate: Date!) {
  chargesSummary(startDate: $startDate, endDate: $endDate) { currency }
}`;

test('the package has the codes of the catalogue, and no other', () => {
  const same: [ErrorCode] extends [GatewayErrorCode] ? ([GatewayErrorCode] extends [ErrorCode] ? true : false) : false =
    true;
  expect(same).toBe(true);
  const catalogue = [...read('src/errors.ts').matchAll(/^ {2}([A-Z_]+): \{/gm)].map(([, code]) => code);
  expect([...gatewayErrorCodes].sort()).toEqual(catalogue.sort());
});

test('the errors of a response are found in the form of every client', async ({ gateway, upstream }) => {
  upstream.script(refusingCharges);
  const { errors } = await gateway.query(query, { variables: october });
  const graphql = errors.map(({ message, ...rest }) => new GraphQLError(message, rest));
  const forms = [
    errors,
    errors[0],
    { errors },
    new CombinedGraphQLErrors({ data: null, errors }),
    new CombinedError({ graphQLErrors: graphql }),
    // graphql-request's ClientError, and Relay's RelayNetwork error.
    Object.assign(new Error('refused'), { response: { errors } }),
    Object.assign(new Error('refused'), { source: { errors } }),
    graphql[0],
  ];
  for (const form of forms) {
    const [error, ...others] = gatewayErrorsIn(form);
    expect(error).toMatchObject(refusal);
    expect(others).toEqual([]);
    expect(isRetryable(form)).toBe(false);
  }
  expect(isGatewayError(errors[0], 'BAD_USER_INPUT')).toBe(true);
  expect(isGatewayError(errors[0], 'NOT_FOUND')).toBe(false);
});

test('a failure that is not of the gateway has no error of it, and is not retryable', () => {
  const foreign = { message: 'x', extensions: { code: 'SOMETHING_ELSE' } };
  const forms = [null, undefined, 'text', new TypeError('fetch failed'), { errors: [foreign] }, { errors: null }, []];
  for (const form of forms) {
    expect(gatewayErrorsIn(form)).toEqual([]);
    expect(isRetryable(form)).toBe(false);
    expect(retryAfterSecondsOf(form)).toBeNull();
  }
});

test('a response is retryable where all errors are, after the longest wait', async ({ gateway, upstream }) => {
  upstream.script(() => ({ status: 429, headers: { 'retry-after': '7' }, json: { errors: [] } }));
  const limited = await gateway.query('{ missions { totalCount } }');
  expect(isRetryable(limited)).toBe(true);
  expect(retryAfterSecondsOf(limited)).toBe(7);
  const { code, message, retryable } = new GatewayError('NOT_FOUND');
  const errors = [...limited.errors, { message, extensions: { code, retryable } }];
  expect(isRetryable({ errors })).toBe(false);
  expect(retryAfterSecondsOf({ errors })).toBe(7);
});

test('a form shows what to do about a failure', async ({ gateway, upstream }) => {
  upstream.script(refusingCharges);
  const { data, errors } = await gateway.query(query, { variables: october });
  expect(noticeOf(new CombinedGraphQLErrors({ data, errors }))).toEqual({
    text: refusal.message,
    isRefusedKey: false,
    field: 'endDate',
    mayTryAgain: false,
    waitSeconds: 0,
  });
  expect(noticeOf(new TypeError('fetch failed'))).toMatchObject({ text: 'fetch failed', field: null });
});

test('what a proxy answers in place of a report is an error that tells its status', async ({ upstream }) => {
  vi.stubGlobal('document', { baseURI: upstream.baseUrl });
  onTestFinished(() => void vi.unstubAllGlobals());
  for (const reply of [
    { status: 502, text: '<h1>' },
    { status: 503, json: null },
    { status: 200, text: '<h1>' },
  ]) {
    upstream.script(() => reply);
    const saving = downloadCharges({ url: `${upstream.baseUrl}/graphql`, ...october });
    await expect(saving).rejects.toThrow(`The gateway answered ${reply.status}, without a result.`);
  }
});
