/** The one notice of a key that the platform refuses, for all sections together. */
export function RefusedKey() {
  return (
    <div className="notice" role="alert">
      <p>
        <strong>The API key is refused.</strong> The platform does not accept it. Enter another one.
      </p>
      <button type="button" onClick={() => document.getElementById('key')?.focus()}>
        Enter another key
      </button>
    </div>
  );
}
