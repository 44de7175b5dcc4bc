import type { FileRecord } from '../../../src/protocol/types.js';

async function sha256(file: File): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', await file.arrayBuffer());
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Compares the SHA-256 of every chosen file with that of the stored file, and shows the result after the last upload. */
export function showChecksumResult(uploader: HTMLElement, output: HTMLElement): void {
  let comparisons: Promise<boolean>[] = [];
  uploader.addEventListener('svc-upload-start', () => (output.textContent = ''));
  uploader.addEventListener('svc-upload-success', (event) => {
    const { file, record } = (event as CustomEvent<{ file: File | null; record: FileRecord }>).detail;
    // Browsers offer no SHA-256 on pages over http from another machine.
    if (file && crypto.subtle) comparisons.push(sha256(file).then((computed) => computed === record.sha256));
  });
  uploader.addEventListener('svc-complete', async () => {
    const results = await Promise.all(comparisons);
    comparisons = [];
    if (results.length === 0) return;
    const different = results.filter((isEqual) => !isEqual).length;
    if (different > 0) output.textContent = `${different} of ${results.length} stored files differ from your files.`;
    else if (results.length === 1) output.textContent = 'The file arrived. Its SHA-256 equals that of your file.';
    else output.textContent = `All ${results.length} files arrived. Each SHA-256 equals that of your file.`;
  });
}
