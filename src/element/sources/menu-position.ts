/** Distance in pixels between the menu and its button, and between the menu and the edge of the window. */
const GAP = 4;
const MARGIN = 8;

/** Places an open menu below its button, or above it if there is more room. Narrow windows show it at the bottom, see the styles. */
export function placeMenu(menu: HTMLElement, button: Element): void {
  const { clientWidth, clientHeight } = document.documentElement;
  const anchor = button.getBoundingClientRect();
  const { width, height } = menu.getBoundingClientRect();
  const isRightToLeft = getComputedStyle(menu).direction === 'rtl';
  const start = isRightToLeft ? anchor.right - width : anchor.left;
  const left = Math.max(MARGIN, Math.min(start, clientWidth - width - MARGIN));
  const isBelow = anchor.bottom + GAP + height <= clientHeight - MARGIN || anchor.top < clientHeight - anchor.bottom;
  const top = isBelow ? anchor.bottom + GAP : anchor.top - GAP - height;
  menu.style.setProperty('--_menu-left', `${left}px`);
  menu.style.setProperty('--_menu-top', `${Math.max(MARGIN, Math.min(top, clientHeight - height - MARGIN))}px`);
}
