/** White space is written as numbers: parsers make spaces, or nothing, of what is raw. */
export const escapeXml = (text: string): string =>
  text.replaceAll(/[<>&"'\t\n\r\u007f]/g, (character) => `&#${character.charCodeAt(0)};`);
