/** Escapes text for XML. White space is escaped too, because parsers may normalize it. */
export const escapeXml = (text: string): string =>
  text.replaceAll(/[<>&"'\t\n\r\u007f]/g, (character) => `&#${character.charCodeAt(0)};`);
