import type { CSSResult } from 'lit';

/** Sets the style sheets of a shadow root. Elements of one document share their sheets. */
export function adoptStyles(root: ShadowRoot, styles: readonly CSSResult[]): void {
  const { defaultView } = root.ownerDocument;
  if (defaultView) root.adoptedStyleSheets = styles.map((style) => sheetFor(defaultView, style));
}

/** Returns the shared sheet. A sheet belongs to the document that created it, so the document of another window gets its own. */
function sheetFor(view: Window & typeof globalThis, style: CSSResult): CSSStyleSheet {
  if (view === window) return style.styleSheet!;
  const sheet = new view.CSSStyleSheet();
  sheet.replaceSync(style.cssText);
  return sheet;
}
