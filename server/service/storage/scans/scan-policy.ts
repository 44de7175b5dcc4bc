import { BlobError } from '../../../../src/protocol/errors.js';
import type { FileRow } from '../files/file-rows.js';
import type { StoredFile } from '../types.js';

/** Whether files that wait for their scan are delivered while the scanner cannot be reached. */
export type WhenUnavailable = 'block' | 'allow';

/** Seconds after which a client may ask again for a pending file. */
const RETRY_AFTER_SECONDS = 5;

type ScanColumns = Pick<FileRow, 'scan' | 'scan_signature' | 'scan_attempts' | 'scan_due_at' | 'scan_lease'>;

/** Decides which files must be scanned for viruses, and which may be delivered. Unknown states are not delivered. */
export class ScanPolicy {
  readonly #whenUnavailable: WhenUnavailable;
  /** Whether new files wait for a scan. */
  readonly isEnabled: boolean;
  /** Whether the scanner responds. The scanner of this process updates it. False without a scanner. */
  isScannerAvailable: boolean;
  /** Called when the bytes of a pending file are read because the scanner is unavailable. */
  onUnscannedRead: (() => void) | undefined;

  constructor({ isEnabled = false, whenUnavailable = 'block' }: { isEnabled?: boolean; whenUnavailable?: WhenUnavailable } = {}) {
    this.isEnabled = isEnabled;
    this.#whenUnavailable = whenUnavailable;
    // Until the first check, files wait.
    this.isScannerAvailable = isEnabled;
  }

  /** Whether pending files are delivered now. */
  get deliversPending(): boolean {
    return this.#whenUnavailable === 'allow' && !this.isScannerAvailable;
  }

  /**
   * Checks that the scan allows to deliver a file.
   * @param name states the file in `details`, for requests for several files.
   * @throws `FILE_NOT_SCANNED`, `FILE_INFECTED`.
   */
  assertDeliverable({ scan }: Pick<StoredFile, 'scan'>, name?: string): void {
    if (scan === null || scan === 'clean' || (scan === 'pending' && this.deliversPending)) return;
    const details = { scan, ...(name !== undefined && { name }) };
    if (scan === 'infected')
      throw new BlobError('FILE_INFECTED', 'The virus scanner found something in this file, so it is not delivered.', {
        details,
      });
    if (scan === 'too_large')
      throw new BlobError('FILE_NOT_SCANNED', 'This file is too large for the virus scanner, so it is not delivered.', {
        details,
      });
    throw new BlobError('FILE_NOT_SCANNED', 'This file has not been scanned for viruses yet. Try again later.', {
      details: { ...details, retry_after: RETRY_AFTER_SECONDS },
    });
  }

  /** Checks a file before its bytes are read. @throws as `assertDeliverable` does. */
  beforeRead(file: Pick<StoredFile, 'scan'>): void {
    this.assertDeliverable(file);
    if (file.scan === 'pending') this.onUnscannedRead?.();
  }

  /**
   * Returns the columns of a file that is committed.
   * @param scanned the row whose bytes the file shares. Its state holds for the copy; undefined for new bytes.
   */
  newColumns(scanned: Pick<FileRow, 'scan' | 'scan_signature'> | undefined, now: number): ScanColumns {
    const scan = scanned ? scanned.scan : this.isEnabled ? 'pending' : null;
    const isDue = scan === 'pending' || scan === 'too_large';
    return {
      scan,
      scan_signature: scanned?.scan_signature ?? null,
      scan_attempts: 0,
      scan_due_at: isDue ? now : null,
      scan_lease: null,
    };
  }
}
