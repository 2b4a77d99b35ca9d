/**
 * The spellings of a key that are searched for: as it is, in hexadecimal of either case, and in base64 of either alphabet. Their
 * order is fixed, and each begins with the same spelling of the key's beginning.
 */
export function spellingsOf(key: string): readonly string[] {
  const hexadecimal = Buffer.from(key, 'latin1').toString('hex');
  const plain = [base64Of(key, 0), base64Of(key, 1), base64Of(key, 2)];
  return [key, hexadecimal, hexadecimal.toUpperCase(), ...plain, ...plain.map(forUrls)];
}

/**
 * The characters of base64 that depend on the key alone, where `lead` bytes come before the key in its first group of three.
 * There may be a name before the key, and any text behind it.
 */
function base64Of(key: string, lead: 0 | 1 | 2): string {
  const whole = btoa('\0'.repeat(lead) + key);
  return whole.slice(Math.ceil((lead * 8) / 6), Math.floor(((lead + key.length) * 8) / 6));
}

function forUrls(base64: string): string {
  return base64.replaceAll('+', '-').replaceAll('/', '_');
}
