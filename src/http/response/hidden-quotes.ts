// Texts in quotation marks, and the values that graphql-js prints without them: objects, lists and numbers. Of an object of a variable,
// the words behind it are those behind the last semicolon. A text that is cut off may end behind a backslash.
const quotes =
  /"""(?:[^"\\]|\\.?|"(?!""))*(?:"""|$)|"(?:[^"\\]|\\.?)*(?:"|$)|(?<=, found |value: |has invalid value )(?!").+$|(?<=got invalid value )(?!").+(?=; )/gs;

// Texts that graphql-js quotes as they are: one that holds quotation marks would seem to end early.
const bareStart = /^(?:Field|Value|Unknown operation named) "/;
const bareEnd = /"(?:\.| (?:is not defined by type "\w+"|does not exist in "\w+" enum)\.(?: Did you mean [^?]*\?)?)$/;
// As many characters as the last words of a message take, with its suggestions.
const endLength = 400;

// What the words before a quotation announce as a name of the schema. Of an unknown type there is none.
const ofSchema = /(?<!Unknown )\btype $|\b(?:in|Enum|on field|as objects of|between|or|and) $/;
const coordinate = /^"[A-Za-z_]\w*\.[A-Za-z_]\w*"$/;
const suggestion = ' Did you mean ';

/**
 * Lets `hide` search what a message of graphql-js quotes of others, and nothing of its own words: neither names of the schema nor
 * suggestions (actions/runner#507).
 */
export function withHiddenQuotes(message: string, hide: (text: string) => string): string {
  const start = bareStart.exec(message)?.[0];
  const end = start === undefined ? undefined : bareEnd.exec(message.slice(-endLength))?.[0];
  if (start !== undefined && end !== undefined)
    return start + hide(message.slice(start.length, message.length - end.length)) + end;
  let behind = 0;
  let isSuggested = false;
  return message.replaceAll(quotes, (quote: string, at: number) => {
    const words = message.slice(behind, at);
    behind = at + quote.length;
    isSuggested ||= words.includes(suggestion);
    return isSuggested || ofSchema.test(words) || coordinate.test(quote) ? quote : hide(quote);
  });
}
