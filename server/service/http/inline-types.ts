/** Raster images and documents that run no script in a browser. SVG and HTML can run scripts. */
const INLINE_TYPES = new Set([
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

/** Subtypes that browsers run or render as documents with any main type. For example, `video/a+xml` is XML. */
const ACTIVE_SUBTYPE = /xml$|xsl|html|script|^css$|^cache-manifest$|^wasm$|flash|^pdf$|^svg|^hta$|^x-component$/;

/** Returns whether a browser runs or renders a file. @param essence lower-case `type/subtype`. */
export const isActiveType = (essence: string): boolean => {
  const [type = '', subtype = ''] = essence.split('/');
  return type === 'multipart' || type === 'message' || ACTIVE_SUBTYPE.test(subtype);
};

/** Returns whether a browser may show a file. Others are served as attachments. @param essence lower-case `type/subtype`. */
export const isInlineType = (essence: string): boolean =>
  INLINE_TYPES.has(essence) || (/^(?:audio|video)\//.test(essence) && !isActiveType(essence));
