/** Says that the figures below belong to what was asked before. */
export function OldFigures({ isShown }: { readonly isShown: boolean }) {
  return isShown ? <p className="hint old">What is shown was read before, for what was asked then.</p> : null;
}
