import { base } from './base.js';
import { dialogContent } from './dialog-content.js';
import { tokens } from './tokens.js';

/** Applies the style sheets to the page itself. The contents of dialogs are there, outside of every shadow tree. */
export function adoptBase(): void {
  const sheets = [tokens.styleSheet!, base.styleSheet!, dialogContent.styleSheet!];
  const missing = sheets.filter((sheet) => !document.adoptedStyleSheets.includes(sheet));
  if (missing.length > 0) document.adoptedStyleSheets = [...document.adoptedStyleSheets, ...missing];
}
