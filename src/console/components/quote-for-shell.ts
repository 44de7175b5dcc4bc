/** Quotes a text for POSIX shells, so that a file name never runs as a command. */
export const quoteForShell = (text: string): string =>
  /^[\w./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
