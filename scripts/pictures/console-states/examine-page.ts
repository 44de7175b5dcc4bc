import type { Page } from 'playwright-core';

/** Smallest size of a target that a finger hits, CSS pixels (WCAG 2.5.8). */
const MIN_TARGET = 24;

/** Finds problems that a program can see: a page wider than its window, small targets, and cut texts without a tooltip. */
export const examinePage = (page: Page): Promise<string[]> =>
  page.evaluate((minTarget) => {
    const problems = [];
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth > clientWidth) problems.push(`wider than the window by ${scrollWidth - clientWidth} px`);
    const roots: (Document | ShadowRoot)[] = [document];
    for (const root of roots)
      for (const element of root.querySelectorAll<HTMLElement>('*')) {
        if (element.shadowRoot) roots.push(element.shadowRoot);
        const { width, height } = element.getBoundingClientRect();
        if (width < 2 || height < 2 || !element.checkVisibility({ visibilityProperty: true })) continue;
        const text = element.textContent.trim().slice(0, 40);
        const isSmall = matchMedia('(pointer: coarse)').matches && Math.min(width, height) < minTarget;
        // A finger hits the row around the name of a file.
        if (isSmall && element.matches('button:not(.link, .name), select, summary'))
          problems.push(
            `target of ${Math.round(width)} × ${Math.round(height)} px: ${element.localName} ${text || element.ariaLabel}`,
          );
        const isCut = element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).textOverflow === 'ellipsis';
        // Tables add the tooltip when the pointer comes.
        if (isCut && !element.closest('[title], td') && !element.querySelector('[title]'))
          problems.push(`cut text: ${element.localName} ${text}`);
      }
    return problems;
  }, MIN_TARGET);
