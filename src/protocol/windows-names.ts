// A file of its own, because the bulk engine in a page needs nothing else of `paths.ts`.

const WINDOWS_DEVICE_NAME = /^(con|prn|aux|nul|com[0-9\u00b9\u00b2\u00b3]|lpt[0-9\u00b9\u00b2\u00b3]|conin\$|conout\$)(\.|$)/i;

/** Returns whether Windows treats a segment as the name of a device, such as `con.txt`. */
export const isWindowsDeviceName = (segment: string): boolean => WINDOWS_DEVICE_NAME.test(segment);
