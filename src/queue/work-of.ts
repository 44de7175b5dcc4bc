/** The cost of each file beside its bytes, as bytes. The time for small files depends on their number. */
const FILE_COST = 192 * 1024;

/** Returns the work that bytes of a file take. The time left is estimated from it. @param size of the file; 0 if it is unknown */
export const workOf = (bytes: number, size: number): number => bytes + (size && (FILE_COST * bytes) / size);
