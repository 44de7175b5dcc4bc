import type { FileRecord } from '../../../src/protocol/types.js';

async function sha256(file: File): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', await file.arrayBuffer());
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Holds every stored file against the one that was chosen, and says so once all have arrived. */
export function tellVerdict(uploader: HTMLElement, place: HTMLElement): void {
  let checks: Promise<boolean>[] = [];
  uploader.addEventListener('svc-upload-start', () => (place.textContent = ''));
  uploader.addEventListener('svc-upload-success', (event) => {
    const { file, record } = (event as CustomEvent<{ file: File | null; record: FileRecord }>).detail;
    // Pages over http from another machine cannot compute it.
    if (file && crypto.subtle) checks.push(sha256(file).then((computed) => computed === record.sha256));
  });
  uploader.addEventListener('svc-complete', async () => {
    const equal = await Promise.all(checks);
    checks = [];
    if (equal.length === 0) return;
    const files = equal.length === 1 ? 'The file arrived, its' : `All ${equal.length} files arrived, each`;
    place.textContent = equal.every(Boolean)
      ? `${files} SHA-256 equal to that of the file on your side.`
      : `${equal.filter((one) => !one).length} of ${equal.length} files differ from those on your side.`;
  });
}
