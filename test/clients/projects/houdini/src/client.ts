import { HoudiniClient } from '$houdini';

/** A client of one key. */
export const createClient = (key: string) =>
  new HoudiniClient({ fetchParams: () => ({ headers: { Authorization: `Bearer ${key}` } }) });
