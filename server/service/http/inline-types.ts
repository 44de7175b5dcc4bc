/** Raster images and documents that a browser shows without running anything. SVG and HTML can run script and are not among them. */
const SHOWN = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
  'image/bmp',
  'image/x-icon',
  'image/vnd.microsoft.icon',
  'image/apng',
  'text/plain',
  'application/pdf',
]);

/** Subtypes that browsers render as documents or run, whatever stands before the slash: `video/a+xml` is XML too. */
const ACTIVE_SUBTYPE = /xml$|xsl|html|script|^css$|^cache-manifest$|^wasm$|flash|^pdf$|^svg|^hta$|^x-component$/;

/** Whether a browser renders or runs a file of this `type/subtype` (lower-case). */
export const isActiveType = (essence: string): boolean => {
  const [type = '', subtype = ''] = essence.split('/');
  return type === 'multipart' || type === 'message' || ACTIVE_SUBTYPE.test(subtype);
};

/** Whether a file of this `type/subtype` (lower-case) may be shown in the page. All others are saved. */
export const isInlineType = (essence: string): boolean =>
  SHOWN.has(essence) || (/^(?:audio|video)\//.test(essence) && !isActiveType(essence));
