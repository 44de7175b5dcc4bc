import type { CSSResult } from 'lit';
import { base } from './base.js';
import { dialogContent } from './dialog-content.js';
import { tokens } from './tokens.js';

/** Applies the style sheets to the page itself. The contents of dialogs are there, outside of every shadow tree. */
export function adoptBase(): void {
  for (const sheet of [tokens, base, dialogContent]) adoptSheet(sheet);
}

/** Applies a style sheet to the page itself, once. */
export function adoptSheet({ styleSheet }: CSSResult): void {
  if (!document.adoptedStyleSheets.includes(styleSheet!))
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, styleSheet!];
}
