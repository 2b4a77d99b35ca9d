/** Origins whose pages may call the gateway: as browsers write them, or a form that they have. */
export type Origins = readonly (string | RegExp)[];

// Apps in a web view have a scheme of their own.
const ofThisMachine = /^[a-z][a-z\d+.-]*:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/;

/** The origins of `CORS_ORIGINS`. Where it is unset, all of this machine before the sandbox, whose data are nobody's, and else none. */
export function originsOf(given: readonly string[] | null, isSandbox: boolean): Origins {
  return given ?? (isSandbox ? [ofThisMachine] : []);
}

/** Whether an origin is one of some, compared as it was sent. */
export function isAmong(origins: Origins, origin: string): boolean {
  return origins.some((each) => (typeof each === 'string' ? each === origin : each.test(origin)));
}
