import type { Limits } from '../../queue/types.js';
import { nameAccepted, nameTypes } from '../locales/name-types.js';
import type { Localizer } from '../locales/localizer.js';

/**
 * Describes which files are accepted: "PDF or PNG, up to 10 MB, at most 5 files". '' if there are no limits.
 * @param acceptsMultiple whether the list may have several files. A limit of one file is stated only then, because it is no limit of a single field.
 */
export function describeLimits(limits: Limits, localizer: Localizer, acceptsMultiple: boolean): string {
  const { allowedExtensions, accept, maxSize, maxFiles, maxTotalSize } = limits;
  const parts: string[] = [];
  if (allowedExtensions) parts.push(localizer.anyOf(nameTypes(allowedExtensions)));
  else if (accept) parts.push(localizer.anyOf(nameAccepted(accept, localizer)));
  if (maxSize !== null) parts.push(localizer.text('upToSize', { size: localizer.size(maxSize) }));
  if (maxFiles !== null && acceptsMultiple) parts.push(localizer.text('upToCount', { count: maxFiles }));
  if (maxTotalSize !== null) parts.push(localizer.text('upToTotalSize', { size: localizer.size(maxTotalSize) }));
  const text = parts.join(localizer.text('listSeparator'));
  return text.charAt(0).toLocaleUpperCase(localizer.locale) + text.slice(1);
}
