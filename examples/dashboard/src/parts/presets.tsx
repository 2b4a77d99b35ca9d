import type { Period } from '../values/day.ts';

/** A period with a name. */
export interface Preset {
  readonly name: string;
  readonly period: Period;
}

interface PresetsProps {
  readonly presets: readonly Preset[];
  /** The period that is shown. */
  readonly current: Period | null;
  readonly onPick: (period: Period) => void;
}

/** Buttons for the periods that are wanted most. */
export function Presets({ presets, current, onPick }: PresetsProps) {
  return (
    <div className="buttons presets" role="group" aria-label="Periods">
      {presets.map(({ name, period }) => (
        <button
          key={name}
          type="button"
          aria-pressed={current?.startDate === period.startDate && current.endDate === period.endDate}
          onClick={() => onPick(period)}
        >
          {name}
        </button>
      ))}
    </div>
  );
}
