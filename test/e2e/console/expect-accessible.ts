import { expect } from 'vitest';
import { findAxeViolations } from '../chromium-page.js';
import type { WatchedPage } from '../chromium-page.js';

/** A light window, a dark phone, and forced colors in a window that is magnified to 400 %. */
export const APPEARANCES = [
  { colorScheme: 'light' as const },
  { colorScheme: 'dark' as const, viewport: { width: 390, height: 844 } },
  { forcedColors: 'active' as const, viewport: { width: 320, height: 256 } },
];

/** Expects that a page violates no rule of axe and is not wider than its window. Axe needs a context with `bypassCSP`. */
export async function expectAccessible(watched: WatchedPage): Promise<void> {
  const overflow = () => document.documentElement.scrollWidth - document.documentElement.clientWidth;
  expect(await findAxeViolations(watched)).toEqual([]);
  expect(await watched.page.evaluate(overflow)).toBe(0);
}
