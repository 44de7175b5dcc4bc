/** Key of the `sessionStorage` entry with the uploads that an earlier visit began, see `transport/interrupted-uploads.ts`. */
export const INTERRUPTED_KEY = 'svc-uploader-interrupted';

/** Returns whether an earlier visit in this tab may have left uploads. The code that lists them loads only then. */
export function hasInterruptedUploads(): boolean {
  try {
    return INTERRUPTED_KEY in sessionStorage;
  } catch {
    return false;
  }
}
