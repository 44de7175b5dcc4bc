/**
 * Matches the message of a TypeError that a mistake in the page's code causes. A `fetch` without a response throws a TypeError as well,
 * whose message WebKit translates. Messages about mistakes are English in all browsers.
 */
const PROGRAMMER_ERROR =
  /\bis (not|null|undefined)\b|can(no|')t (access|assign|convert|destructure|read|serialize|set)|failed to (execute|construct|parse)|invalid (url|assign)|circular|cyclic|constant|readonly/i;

/** Returns whether a function of the page threw because of a mistake in it. Offline, the missing response may be the cause. */
export function isProgrammerError(cause: unknown): cause is TypeError {
  const { name, message } = Object(cause) as Partial<Error>;
  return name === 'TypeError' && (globalThis.navigator?.onLine ?? true) && PROGRAMMER_ERROR.test(message!);
}
