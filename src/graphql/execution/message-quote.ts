import { messageLength, quoteLength } from '../../bounds.ts';
import { digitsOf } from '../../json.ts';

/** Characters of a message besides what it quotes. */
const messageWords = 300;

// Texts in quotation marks, and the values that graphql-js prints without them: objects, lists and numbers. A text that is cut off
// may end behind a backslash.
const quotes =
  /"""(?:[^"\\]|\\.?|"(?!""))*(?:"""|$)|"(?:[^"\\]|\\.?)*(?:"|$)|(?<=, found |value: |has invalid value )(?!").+$/gs;

// Texts that graphql-js quotes as they are: one that holds quotation marks would seem to end early.
const bareStart = /^(?:Field|Value|Unknown operation named) "/;
const bareEnd = /"(?:\.| (?:is not defined by type "\w+"|does not exist in "\w+" enum)\.(?: Did you mean [^?]*\?)?)$/;
// As many characters as the last words of a message take, with its suggestions.
const endLength = 400;

/** The parts of a message around a text that it quotes as it is; null where it quotes none. */
function bareQuote(message: string) {
  const start = bareStart.exec(message)?.[0];
  const end = bareEnd.exec(message.slice(-endLength))?.[0];
  if (start === undefined || end === undefined) return null;
  return { start, text: message.slice(start.length, message.length - end.length), end };
}

/**
 * A message of graphql-js, cut so that it quotes at most so many characters of what the client sent. The part of a message beyond
 * `messageLength` is left out.
 */
export function withShortQuotes(message: string, most = quoteLength): string {
  if (message.length <= most) return message;
  const bare = bareQuote(message);
  if (bare !== null) return bare.start.slice(0, -1) + quoteOfText(bare.text, most) + bare.end.slice(1);
  let left = most;
  const shown = message.slice(0, messageLength).replaceAll(quotes, (quote) => {
    const mark = quote.startsWith('"') ? '"' : '';
    const room = left + 2 * mark.length;
    left = Math.max(0, left - quote.length);
    return quote.length <= room ? quote : `${quote.slice(0, Math.max(mark.length, room - 2 * mark.length))}…${mark}`;
  });
  // With many quotes, even the words between them are long.
  return shown.length <= most + messageWords ? shown : `${shown.slice(0, most + messageWords - 1)}…`;
}

// A variable may hold a number, and its digits may be those of a key.
const quotesAndValues = new RegExp(`${quotes.source}|(?<=got invalid value )(?!").+(?=; )`, 'gs');
// What the words before a quotation announce as a name of the schema. Of an unknown type there is none.
const ofSchema = /(?<!Unknown )\btype $|\b(?:in|Enum|on field|as objects of|between|or|and) $/;
const coordinate = /^"[A-Za-z_]\w*\.[A-Za-z_]\w*"$/;
const suggestion = ' Did you mean ';

/** Lets `hide` search what a message quotes of others, and nothing of its own words: neither names of the schema nor suggestions. */
export function withHiddenQuotes(message: string, hide: (text: string) => string): string {
  const bare = bareQuote(message);
  if (bare !== null) return bare.start + hide(bare.text) + bare.end;
  let behind = 0;
  let isSuggested = false;
  return message.replaceAll(quotesAndValues, (quote: string, at: number) => {
    const words = message.slice(behind, at);
    behind = at + quote.length;
    isSuggested ||= words.includes(suggestion);
    return isSuggested || ofSchema.test(words) || coordinate.test(quote) ? quote : hide(quote);
  });
}

/** A value of a request as a message quotes it, in about so many characters at most: of lists and objects it shows nothing. */
export function quoteOf(value: unknown, most: number): string {
  if (typeof value === 'string') return quoteOfText(value, most);
  const digits = digitsOf(value);
  if (digits !== undefined) return digits.length <= most ? digits : `${digits.slice(0, most)}…`;
  if (Array.isArray(value)) return '[…]';
  return typeof value === 'object' && value !== null ? '{…}' : String(value);
}

function quoteOfText(text: string, most: number): string {
  const quote = JSON.stringify(text.slice(0, most));
  if (text.length <= most && quote.length <= most + 2) return quote;
  return `${quote.slice(0, Math.max(1, Math.min(quote.length - 1, most)))}…"`;
}
