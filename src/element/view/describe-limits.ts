import type { Limits } from '../../queue/types.js';
import { nameAccepted, nameTypes } from '../locales/name-types.js';
import type { Localizer } from '../locales/localizer.js';

/** Describes which files are accepted: "PDF or PNG, up to 10 MB, at most 5 files". '' if there are no limits. */
export function describeLimits(limits: Limits, localizer: Localizer): string {
  const { allowedExtensions, accept, maxSize, maxFiles, maxTotalSize } = limits;
  const parts: string[] = [];
  if (allowedExtensions) parts.push(localizer.anyOf(nameTypes(allowedExtensions)));
  else if (accept) parts.push(localizer.anyOf(nameAccepted(accept, localizer)));
  if (maxSize !== null) parts.push(localizer.text('upToSize', { size: localizer.size(maxSize) }));
  if (maxFiles !== null && maxFiles > 1) parts.push(localizer.text('upToCount', { count: maxFiles }));
  if (maxTotalSize !== null) parts.push(localizer.text('upToTotalSize', { size: localizer.size(maxTotalSize) }));
  const text = parts.join(localizer.text('listSeparator'));
  return text.charAt(0).toLocaleUpperCase(localizer.locale) + text.slice(1);
}
