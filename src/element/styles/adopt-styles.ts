import type { CSSResult } from 'lit';

/** Creates style sheets for a shadow root in the document that shows it, because a sheet belongs to the document that created it. */
export function adoptStyles(root: ShadowRoot, styles: readonly CSSResult[]): void {
  const { defaultView } = root.ownerDocument;
  if (!defaultView) return;
  root.adoptedStyleSheets = styles.map(({ cssText }) => {
    const sheet = new defaultView.CSSStyleSheet();
    sheet.replaceSync(cssText);
    return sheet;
  });
}
