import { authenticationFailed, notAuthorized } from './errors.ts';

/** The key whose billing account does not exist. */
export const unknownAccountKey = 'unknown-account-key';
/** The key whose billing reports are slow. */
export const slowReportKey = 'slow-report-key';
const invalidKey = 'invalid-key';
const forbiddenKey = 'forbidden-key';

/** The bearer key of a request, any well-formed one but the two that are refused: throws the refusal with 401 or 403. */
export function bearerKey(authorization: string | undefined): string {
  const key = /^bearer +([\w.~+/-]+=*)$/i.exec(authorization ?? '')?.[1];
  if (key === undefined || key === invalidKey) throw authenticationFailed();
  if (key === forbiddenKey) throw notAuthorized();
  return key;
}
