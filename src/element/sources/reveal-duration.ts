/** A position after the end of any recording, in seconds. */
const BEYOND_END = 1e9;

/**
 * Lets a player show the duration of a recording. Chromium writes none into the file, and computes it only when it seeks to the end.
 * @see https://crbug.com/642012
 */
export function revealDuration({ target }: Event): void {
  const player = target as HTMLMediaElement;
  if (player.duration !== Infinity) return;
  player.addEventListener('seeked', () => (player.currentTime = 0), { once: true });
  player.currentTime = BEYOND_END;
}
