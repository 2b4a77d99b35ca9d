import { nothing } from '../values/wording.ts';
import { CopyButton } from './copy-button.tsx';

interface FactProps {
  readonly name: string;
  /** Whether it can be copied. */
  readonly isCopied?: boolean;
  /** Null where it is not known. */
  readonly children: string | null | undefined;
}

/** A named value in a list of facts. */
export function Fact({ name, isCopied = false, children }: FactProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {children ?? nothing} {isCopied && children != null && <CopyButton what={name} text={children} />}
      </dd>
    </div>
  );
}
