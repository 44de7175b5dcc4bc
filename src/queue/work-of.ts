/** The cost of each file beside its bytes, as bytes. The time for small files depends on their number. */
const FILE_COST = 192 * 1024;

/** Returns the work that bytes of a file of the given size take. The time left is estimated from it. */
export const workOf = (bytes: number, size: number): number => bytes + (FILE_COST * bytes) / (size || 1);
