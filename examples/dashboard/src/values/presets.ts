import type { Preset } from '../parts/presets.tsx';
import { monthOf, monthsBefore } from './day.ts';

/** The periods that are wanted most, seen from a day: this month, the one before, and twelve whole ones. */
export function presetsOf(day: string): readonly [Preset, Preset, Preset] {
  return [
    { name: 'This month', period: monthOf(day) },
    { name: 'Last month', period: monthsBefore(day, 1) },
    { name: 'Last 12 months', period: monthsBefore(day, 12) },
  ];
}
