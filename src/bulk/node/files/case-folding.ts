import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { S3Error } from '../../errors.js';
import { hash64 } from '../../journal/hash64.js';
import { Fingerprints } from '../sorting/fingerprints.js';

/**
 * Keeps keys apart that a disk takes for one name: those of macOS and Windows tell `A` from `a` no more than `a` from `A`. Where a disk
 * does, which the first file shows, nothing is kept.
 */
export class FoldedNames {
  #folds: boolean | undefined;
  #folded = new Fingerprints();
  #exact = new Fingerprints();

  /** @param isFolded whether there is a file of such a name, and it has another one */
  constructor(private readonly isFolded: (path: string) => boolean = goesByAnother) {}

  /** Whether it is known what the disk does. */
  get areKnown(): boolean {
    return this.#folds !== undefined;
  }

  /** A path stands for a key from now on. @throws S3Error `NameTaken` when on this disk it stands for another one */
  claim(path: string): void {
    if (this.#folds === false) return;
    const isNew = this.#folded.add(hash64(fold(path)));
    if (this.#exact.add(hash64(path)) && !isNew && this.#folds)
      throw new S3Error(
        'NameTaken',
        `${path}: this disk takes it for another name of this run, which differs in capitals alone.`,
      );
  }

  /** The same of what stands there. */
  keep(root: string, path: string): void {
    if (this.#folds === false) return;
    this.look(() => join(root, path));
    this.claim(path);
  }

  /** Whether what nobody has told of stands there all the same: under another name. */
  isOther(root: string, path: string): boolean {
    if (this.#folds === false) return false;
    const full = join(root, path);
    if (!existsSync(full)) return false;
    if (this.#folds === undefined && this.isFolded(full)) this.#folds = true;
    this.look(() => full);
    return this.#folds === true && !isSpelt(root, path);
  }

  /** Looks, until it is known, whether a file answers to its name in other letters. */
  look(at: () => string): void {
    if (this.#folds !== undefined) return;
    const full = at();
    const name = basename(full);
    const other = name === name.toUpperCase() ? name.toLowerCase() : name.toUpperCase();
    if (other === name) return;
    this.#folds = this.isFolded(join(dirname(full), other));
    if (this.#folds) return;
    this.#folded = this.#exact = new Fingerprints();
  }
}

/** Windows keeps both forms of an accented letter apart. */
const fold = (path: string): string => (process.platform === 'win32' ? path : path.normalize()).toLowerCase();

/** Whether it stands there under the very letters; disks that write accented ones in a form of their own still mean these. */
function isSpelt(root: string, path: string): boolean {
  let folder = root;
  return path.split('/').every((segment) => {
    const is = readdirSync(folder).some((name) => name.normalize() === segment.normalize());
    folder = join(folder, segment);
    return is;
  });
}

/** Whether a file is there and goes by another name. Its number tells nothing: not every file system gives the same one to both names. */
const goesByAnother = (path: string): boolean => existsSync(path) && !readdirSync(dirname(path)).includes(basename(path));
