import { afterSpace, valueEnd } from './json';
import { begin, INPUT, KEYS, NULL, out, OUTPUT, RESULT, TABLES } from './memory';
import { beginOpen, gapCount, opened } from './gaps';
import { beginRecords, firstHandedOut, keys, record, rowCount } from './record';

export { ENDS, FORM_SIZE, FORMS, GAPS, INPUT, KEYS, OPENED, OUTPUT, RESULT, TABLES, TABLES_END } from './memory';
export * from './kind';

/**
 * Walks the body at INPUT by the tables at TABLES, which begin with the address of the shape of all of it, and with how many of its
 * members are told; those that are handed out beyond these, up to a further number, must be null or an empty list. 1 if all of it is as
 * it should be: then RESULT tells how long what is written at OUTPUT is, how many rows it has, where what is handed out of them ends,
 * where the member that is handed out of the body stands, with its length, and how many places are left open, and where what is handed
 * out for them ends. 0 if that is for others to tell.
 */
export function transcode(length: u32): u32 {
  begin();
  beginRecords();
  beginOpen();
  const end = INPUT + length;
  for (let at = end; at < end + 64; at += 16) v128.store(at, i64x2.splat(0));
  const shape: usize = load<u32>(TABLES);
  const last = record(shape, afterSpace(INPUT));
  if (last == 0 || afterSpace(last) != end) return 0;
  const told: u32 = load<u32>(TABLES, 4);
  for (let index = told; index < load<u32>(TABLES, 8); index++)
    if (!isNothing(load<u32>(firstHandedOut(shape) + index * 4))) return 0;
  tell(0, out - OUTPUT);
  tell(1, rowCount);
  store<u8>(keys, 0x5d);
  tell(2, keys == KEYS ? KEYS : keys + 1);
  const member: usize = told == 0 ? 0 : (load<u32>(firstHandedOut(shape)) as usize);
  tell(3, member == 0 ? 0 : member - INPUT);
  tell(4, member == 0 ? 0 : valueEnd(member) - member);
  tell(5, gapCount);
  store<u8>(opened, 0x5d);
  tell(6, opened + 1);
  return 1;
}

function isNothing(at: usize): bool {
  if (at == 0 || load<u32>(at) == NULL) return true;
  return load<u8>(at) == 0x5b && load<u8>(afterSpace(at + 1)) == 0x5d;
}

function tell(word: usize, value: usize): void {
  store<u32>(RESULT + word * 4, value as u32);
}
