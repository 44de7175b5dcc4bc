import { expect } from 'vitest';
import { findAxeViolations } from '../chromium-page.js';
import type { WatchedPage } from '../chromium-page.js';

/** A dark phone, forced colors in a window that is magnified to 400 %, and a light window, in which tests go on. */
const APPEARANCES = [
  { colorScheme: 'dark', forcedColors: 'none', width: 390, height: 844 },
  { colorScheme: 'light', forcedColors: 'active', width: 320, height: 256 },
  { colorScheme: 'light', forcedColors: 'none', width: 1280, height: 800 },
] as const;

/**
 * Expects that a page violates no rule of axe and is not wider than its window, in each of the appearances. Axe needs a context with
 * `bypassCSP`.
 */
export async function expectAccessible(watched: WatchedPage): Promise<void> {
  const overflow = () => document.documentElement.scrollWidth - document.documentElement.clientWidth;
  for (const { width, height, ...media } of APPEARANCES) {
    await watched.page.setViewportSize({ width, height });
    // Colors that are changing have other contrasts.
    await watched.page.emulateMedia({ ...media, reducedMotion: 'reduce' });
    expect(await findAxeViolations(watched), JSON.stringify(media)).toEqual([]);
    expect(await watched.page.evaluate(overflow), `${width} pixels`).toBe(0);
  }
}
