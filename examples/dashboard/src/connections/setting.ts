import { moment } from '../values/wording.ts';

/** A setting of a connection, as it is shown. */
export interface Setting {
  readonly label: string;
  /** Null where the platform has no value. */
  readonly text: string | null;
  /** Whether it is an identifier or address, which are wanted elsewhere. */
  readonly isCopied: boolean;
}

/** Settings under a heading of their own. */
export interface SettingGroup {
  /** Null for those of the connection itself. */
  readonly title: string | null;
  readonly settings: readonly Setting[];
}

const words: Readonly<Record<string, string>> = {
  Ani: 'ANI',
  Api: 'API',
  Dnis: 'DNIS',
  Dtmf: 'DTMF',
  Id: 'ID',
  Ios: 'iOS',
  Ip: 'IP',
  Isup: 'ISUP',
  Prack: 'PRACK',
  Rtcp: 'RTCP',
  Onnet: 'on-net',
  Shaken: 'SHAKEN',
  Sip: 'SIP',
  Stir: 'STIR',
  T38: 'T38',
  Url: 'address',
};

/** They stand last: "Jitterbuffer max (ms)". */
const units: Readonly<Record<string, string>> = { Msec: '(ms)', Secs: '(seconds)' };

/** The name of a field in words, e.g. "Webhook event address" of `webhookEventUrl`. */
export function labelOf(field: string): string {
  const parts = field.match(/[tT]38|[A-Z]?[a-z]+|[A-Z]?\d+[a-z]*|[A-Z]+(?![a-z])/g) ?? [field];
  const text = [...parts.filter((part) => !(part in units)), ...parts.filter((part) => part in units)]
    .map((part) => units[part] ?? words[part.charAt(0).toUpperCase() + part.slice(1)] ?? part.toLowerCase())
    .join(' ');
  return text.startsWith('iOS') ? text : text.charAt(0).toUpperCase() + text.slice(1);
}

/** All settings of a connection in the order of the query, those of nested objects in groups of their own. */
export function settingsOf(connection: object): readonly SettingGroup[] {
  const fields = Object.entries(connection).filter(([name]) => !name.startsWith('__'));
  const own = fields.filter(([, value]) => !isGroup(value)).map(([name, value]) => settingOf(name, value));
  const groups = fields
    .filter(([, value]) => isGroup(value))
    .flatMap(([name, value]) =>
      settingsOf(value as object).map(({ settings }) => ({ title: labelOf(name), settings })),
    );
  return [{ title: null, settings: own }, ...groups];
}

function isGroup(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function settingOf(name: string, value: unknown): Setting {
  return { label: labelOf(name), text: textOf(name, value), isCopied: /(?:^id|Id|Url)$/.test(name) };
}

function textOf(name: string, value: unknown): string | null {
  if (value == null) return null;
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (Array.isArray(value)) return value.length === 0 ? 'None' : value.map((item) => item ?? '–').join(', ');
  return name.endsWith('At') && typeof value === 'string' ? `${moment(value)} UTC` : `${value as string | number}`;
}
