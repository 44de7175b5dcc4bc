/**
 * What a TypeError says of a mistake in the page's own code, which asking again would not mend; engines speak English there. Of a
 * `fetch` without an answer WebKit speaks the system's language.
 */
const MISTAKE =
  /\bis (not|null|undefined)\b|can(no|')t (access|assign|convert|destructure|read|serialize|set)|failed to (execute|construct|parse)|invalid (url|assign)|circular|cyclic|constant|readonly/i;

/** Whether what a function of the page threw is its last word. Offline it may be what it made of an answer that did not come. */
export function isProgrammerError(cause: unknown): cause is TypeError {
  const { name, message } = Object(cause) as Partial<Error>;
  return name === 'TypeError' && (globalThis.navigator?.onLine ?? true) && MISTAKE.test(message!);
}
