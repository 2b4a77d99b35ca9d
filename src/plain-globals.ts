/**
 * Makes plain values of those globals that most requests read. Node has a getter for each, so that V8 looks each use up anew: that
 * costs a hundredth of a small request.
 */
export function makeGlobalsPlain(): void {
  for (const name of ['performance', 'Buffer'] as const)
    Object.defineProperty(globalThis, name, { value: globalThis[name], writable: true, configurable: true });
}
