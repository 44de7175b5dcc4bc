import type { Limits } from '../../queue/types.js';
import type { Words } from '../locales/messages.js';

const MOST_TYPES = 6;

/** What may be chosen, in one line: "PDF or PNG, up to 10 MB, at most 5 files". '' when anything may. */
export function hintOf(limits: Limits, words: Words): string {
  const { allowedExtensions, maxSize, maxFiles, maxTotalSize } = limits;
  const parts: string[] = [];
  if (allowedExtensions && allowedExtensions.length <= MOST_TYPES)
    parts.push(words.anyOf(allowedExtensions.map((one) => one.toUpperCase())));
  if (maxSize !== null) parts.push(words.say('upToSize', { size: words.size(maxSize) }));
  if (maxFiles !== null && maxFiles > 1) parts.push(words.say('upToCount', { count: maxFiles }));
  if (maxTotalSize !== null) parts.push(words.say('upToSizeInAll', { size: words.size(maxTotalSize) }));
  const text = parts.join(words.say('comma'));
  return text.charAt(0).toLocaleUpperCase(words.locale) + text.slice(1);
}
