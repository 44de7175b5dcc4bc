import type { SettingProblem } from '../settings/problems.js';

/** Words of the attribute `sources`. */
export const SOURCES = ['device', 'camera', 'screen', 'microphone', 'url'] as const;
export type Source = (typeof SOURCES)[number];

const isSource = (word: string): word is Source => (SOURCES as readonly string[]).includes(word);

/** Reads the attribute `sources`. Unknown words are returned as a problem, and the others still count. */
export function readSources(value: string): { sources: Source[]; problem?: SettingProblem } {
  const words = value
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean);
  const sources = [...new Set(words)].filter(isSource);
  if (words.every(isSource)) return { sources };
  return {
    sources,
    problem: { attribute: 'sources', value, rule: `Write one or more of ${SOURCES.map((s) => `"${s}"`).join(', ')}.` },
  };
}
