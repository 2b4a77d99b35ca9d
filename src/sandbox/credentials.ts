import { authenticationFailed, notAuthorized } from './errors.ts';

/** The key whose billing account does not exist. */
export const UNKNOWN_ACCOUNT_KEY = 'unknown-account-key';
/** The key whose billing reports are slow. */
export const SLOW_REPORT_KEY = 'slow-report-key';
const INVALID_KEY = 'invalid-key';
const FORBIDDEN_KEY = 'forbidden-key';

/** The bearer key of a request; any well-formed one is good but for those with a meaning. Refuses with 401 or 403. */
export const bearerKey = (authorization: string | undefined): string => {
  const key = /^bearer +([\w.~+/-]+=*)$/i.exec(authorization ?? '')?.[1];
  if (key === undefined || key === INVALID_KEY) throw authenticationFailed();
  if (key === FORBIDDEN_KEY) throw notAuthorized();
  return key;
};
