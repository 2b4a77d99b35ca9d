const most = 1_000_000_000;

/** The seed that was given, or a new one. */
export function seedOf(given: string | undefined): number {
  return given === undefined ? Date.now() % most : Number(given);
}
