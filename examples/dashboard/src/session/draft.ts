import { useState } from 'react';

/** What is typed into a form; it begins anew whenever what the form has sent changes, as by the browser's Back. */
export function useDraft<Draft extends object>(sent: Draft): [Draft, (draft: Draft) => void] {
  const text = JSON.stringify(sent);
  const [{ of, draft }, setState] = useState({ of: text, draft: sent });
  if (of !== text) setState({ of: text, draft: sent });
  return [of === text ? draft : sent, (next) => setState({ of: text, draft: next })];
}
