import { nothing } from '../values/wording.ts';

const tones: Readonly<Record<string, string>> = { delivered: 'good', failed: 'bad', on: 'good', off: 'calm' };

/** A state in one word, which colour underlines but never carries alone. The set of states is open. */
export function Status({ state }: { readonly state: string | null | undefined }) {
  if (state == null) return nothing;
  return <span className={`status ${tones[state] ?? 'calm'}`}>{state}</span>;
}
