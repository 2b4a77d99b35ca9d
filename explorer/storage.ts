/**
 * Where GraphiQL keeps tabs, history and theme: the browser's own store, but for the headers of requests, which may hold a key. GraphiQL
 * leaves them out of its tabs, and its history does not.
 */
export const storage: Storage = {
  get length() {
    return localStorage.length;
  },
  key: (index) => localStorage.key(index),
  clear: () => localStorage.clear(),
  getItem: (name) => localStorage.getItem(name),
  removeItem: (name) => localStorage.removeItem(name),
  setItem: (name, text) => localStorage.setItem(name, withoutHeaders(text)),
};

function withoutHeaders(text: string): string {
  if (!text.includes('"headers"')) return text;
  try {
    return JSON.stringify(JSON.parse(text, (name, value: unknown) => (name === 'headers' ? null : value)));
  } catch {
    return text;
  }
}
