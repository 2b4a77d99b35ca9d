import { endOfText } from './json-limits.ts';

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openList = 0x5b;
const closeList = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;

/** A member of the object that a body is. */
export interface BodyMember {
  /** As it is spelled, with any escapes in it. */
  readonly name: string;
  /** Where its value begins and ends, with the blanks around it. */
  readonly start: number;
  readonly end: number;
}

/** Lists the members of a body that has been parsed, and is a JSON object without a byte order mark. A name may come twice. */
export function membersOfBody(body: Buffer): readonly BodyMember[] {
  const members: BodyMember[] = [];
  for (let at = body.indexOf(quote); at >= 0;) {
    const close = endOfText(body, at);
    const end = endOfMember(body, close + 1);
    members.push({ name: body.toString('latin1', at + 1, close), start: body.indexOf(colon, close) + 1, end });
    at = body.indexOf(quote, end);
  }
  return members;
}

/** Returns the position of the comma or the bracket behind the value of a member whose name ends at `from`. */
function endOfMember(body: Buffer, from: number): number {
  let depth = 0;
  let at = from;
  for (; at < body.length; at++) {
    const byte = body[at];
    if (byte === quote) at = endOfText(body, at);
    else if (byte === openList || byte === openObject) depth++;
    else if (depth === 0 && (byte === comma || byte === closeObject)) break;
    else if (byte === closeList || byte === closeObject) depth--;
  }
  return at;
}
