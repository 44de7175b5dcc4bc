import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { S3Error } from '../../errors.js';
import { hash64 } from '../../journal/hash64.js';
import { FingerprintSet } from '../sorting/fingerprint-set.js';

/**
 * Detects keys that the disk takes for the same name: disks of macOS and Windows ignore case. The first file shows whether the disk
 * does so. On other disks, nothing is remembered.
 */
export class FoldedNames {
  /** Undefined until a file shows it. */
  #ignoresCase: boolean | undefined;
  #folded = new FingerprintSet();
  #exact = new FingerprintSet();

  /** @param findsOtherName tells whether a path finds a file of another name */
  constructor(private readonly findsOtherName: (path: string) => boolean = hasOtherName) {}

  /** True when it is known whether the disk ignores case. */
  get isDetected(): boolean {
    return this.#ignoresCase !== undefined;
  }

  /** Reserves a path for a key. @throws S3Error `NameTaken` if the disk takes it for the path of another key */
  reserve(path: string): void {
    if (this.#ignoresCase === false) return;
    const isNew = this.#folded.add(hash64(fold(path)));
    if (this.#exact.add(hash64(path)) && !isNew && this.#ignoresCase)
      throw new S3Error(
        'NameTaken',
        `${path}: this disk takes it for another name of this transfer, which differs only in case.`,
      );
  }

  /** Reserves the path of an existing file. */
  keep(root: string, path: string): void {
    if (this.#ignoresCase === false) return;
    this.detect(() => join(root, path));
    this.reserve(path);
  }

  /** Returns whether the path finds a file whose name differs in case. */
  isOther(root: string, path: string): boolean {
    if (this.#ignoresCase === false) return false;
    const full = join(root, path);
    if (!existsSync(full)) return false;
    if (this.#ignoresCase === undefined && this.findsOtherName(full)) this.#ignoresCase = true;
    this.detect(() => full);
    return this.#ignoresCase === true && !hasExactCase(root, path);
  }

  /** Tests with an existing file whether the disk ignores case, unless that is known. */
  detect(pathOf: () => string): void {
    if (this.#ignoresCase !== undefined) return;
    const full = pathOf();
    const name = basename(full);
    const otherCase = name === name.toUpperCase() ? name.toLowerCase() : name.toUpperCase();
    // The name has no letters.
    if (otherCase === name) return;
    this.#ignoresCase = this.findsOtherName(join(dirname(full), otherCase));
    if (this.#ignoresCase) return;
    this.#folded = this.#exact = new FingerprintSet();
  }
}

/** Windows distinguishes the Unicode forms of an accented letter. */
const fold = (path: string): string => (process.platform === 'win32' ? path : path.normalize()).toLowerCase();

/** Returns whether every segment has exactly this case. Disks may store accented letters in another Unicode form. */
function hasExactCase(root: string, path: string): boolean {
  let folder = root;
  return path.split('/').every((segment) => {
    const isExact = readdirSync(folder).some((name) => name.normalize() === segment.normalize());
    folder = join(folder, segment);
    return isExact;
  });
}

/** Returns whether a path finds a file of another name. Inode numbers do not help: some file systems give both names different ones. */
const hasOtherName = (path: string): boolean => existsSync(path) && !readdirSync(dirname(path)).includes(basename(path));
