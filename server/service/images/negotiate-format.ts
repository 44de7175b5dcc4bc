import type { ImageTransform } from './transform.js';

/** The format of a result. `compatible`: JPEG, or PNG for an image with transparency, which every browser shows. */
export type OutputFormat = Exclude<ImageTransform['format'], 'auto'> | 'compatible';

/**
 * Chooses the format of a response. Only formats that `Accept` names count, because browsers that lack AVIF or WebP send wildcards.
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-12.5.1
 */
export function negotiateFormat(format: ImageTransform['format'], accept: string | undefined): OutputFormat {
  if (format !== 'auto') return format;
  const accepted = acceptedTypes(accept ?? '');
  if (accepted.has('image/avif')) return 'avif';
  return accepted.has('image/webp') ? 'webp' : 'compatible';
}

function acceptedTypes(accept: string): Set<string> {
  const types = new Set<string>();
  for (const item of accept.split(',')) {
    const [type = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
    if (!parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter))) types.add(type);
  }
  return types;
}
