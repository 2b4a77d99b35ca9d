import type { Units } from './decimal.ts';

/** A recurring service of a phone number; `share` is how many of the numbers have it. */
export interface Service {
  readonly name: string;
  readonly alias: string;
  readonly rate: Units;
  readonly digits: number;
  readonly share: number;
}

/** The base service of a number, by its charge type; `setup` is charged once, in the month of activation. */
export const baseServices: Readonly<Record<string, Service & { setup: Units }>> = {
  local: { name: 'Local number', alias: 'local_number', rate: 10_000, digits: 2, share: 1, setup: 10_000 },
  toll_free: { name: 'Toll-free number', alias: 'toll_free_number', rate: 20_000, digits: 2, share: 1, setup: 25_000 },
  mobile: { name: 'Mobile number', alias: 'mobile_number', rate: 35_000, digits: 1, share: 1, setup: 35_000 },
  national: { name: 'National number', alias: 'national_number', rate: 12_500, digits: 2, share: 1, setup: 55_555 },
};

/** Services that a number can have beside its base service; their names have commas and quotes, to test the CSV form. */
export const extraServices: readonly Service[] = [
  { name: 'Emergency services, US & Canada', alias: 'emergency', rate: 15_000, digits: 2, share: 0.3 },
  { name: 'Caller name ("CNAM") storage', alias: 'cnam', rate: 40, digits: 4, share: 0.5 },
  { name: 'Messaging capability', alias: 'messaging', rate: 1000, digits: 4, share: 0.4 },
  { name: 'Inbound fax', alias: 'fax', rate: 7250, digits: 2, share: 0.1 },
];

/** Usage that belongs to the account, not to one number; `rate` per item. */
export const usageItems: readonly { name: string; alias: string; rate: Units; perDay: number }[] = [
  { name: 'Outbound voice minutes', alias: 'voice_outbound', rate: 70, perDay: 4200 },
  { name: 'Inbound voice minutes', alias: 'voice_inbound', rate: 35, perDay: 6100 },
  { name: 'Outbound messages', alias: 'messages_outbound', rate: 40, perDay: 2500 },
  { name: 'Recording storage', alias: 'recording_storage', rate: 5, perDay: 300 },
  { name: 'AI mission minutes', alias: 'ai_minutes', rate: 500, perDay: 90 },
];
