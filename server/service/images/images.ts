import { BlobError } from '../../../src/protocol/errors.js';
import { formatDisposition, parseDispositionName } from '../../../src/protocol/content-disposition.js';
import { baseName } from '../../../src/protocol/paths.js';
import type { BlobStorage, DerivedFile, OpenedFile, StoredFile } from '../storage/blob-storage.js';
import { ImagesUnavailable, tooLarge } from './image-process.js';
import type { ImageProcess, ResizedImage } from './image-process.js';
import { ImageProcesses } from './image-processes.js';
import { FrameExtractor } from './frames/frame-extractor.js';
import type { FrameCommands } from './frames/frame-programs.js';
import { frameProgramOf } from './frames/frame-source.js';
import { IMAGE_LIMITS } from './limits.js';
import { negotiateFormat } from './negotiate-format.js';
import type { OutputFormat } from './negotiate-format.js';
import { SharedJobs } from './shared-jobs.js';
import { sizeOf } from './transform.js';
import type { ImageTransform } from './transform.js';

/** Part of the names of stored results. Raise it when the same request gives another result. */
const VERSION = 1;
/** Failures that depend on the image alone, so that a repeat would fail as well. */
const LASTING = new Set<string>(['IMAGE_TOO_LARGE', 'IMAGE_TYPE_UNSUPPORTED', 'IMAGE_UNREADABLE']);

export interface ImagesOptions {
  /** Whether images are resized. Undefined: if sharp is installed. */
  enabled: boolean | undefined;
  /** Programs that make pictures of videos and PDFs. @default none */
  frameCommands?: FrameCommands;
}

/** Resizes stored images, and pictures of videos and PDFs, and keeps the results as derived files. */
export class Images {
  readonly #processes: ImageProcesses;
  readonly #frames: FrameExtractor;
  readonly #jobs = new SharedJobs<DerivedFile>();
  #unavailable: ImagesUnavailable | undefined;
  /** Receives how each request ended: `cached`, `resized` or the code of an error. */
  onResult: ((result: string) => void) | undefined;
  /** Receives why sharp cannot be used, once. */
  onUnavailable: ((cause: Error) => void) | undefined;

  constructor(
    private readonly blobs: BlobStorage,
    private readonly options: ImagesOptions,
    processes = new ImageProcesses(),
    frames = new FrameExtractor(options.frameCommands ?? {}),
  ) {
    this.#processes = processes;
    this.#frames = frames;
  }

  /**
   * Checks a service whose operator requires images, or pictures of videos and PDFs.
   * @throws Error with the `npm install` line if sharp is missing, or with the program that cannot be started.
   */
  async assertAvailable(): Promise<void> {
    const hasFrames = await this.#frames.check();
    if (hasFrames && this.options.enabled === false) throw new Error('thumbnails: images must not be off');
    if (hasFrames || this.options.enabled) await this.#processes.check();
  }

  /** Returns whether a video or PDF has a picture, as far as its content type tells. */
  hasPicture(contentType: string): boolean {
    return this.options.enabled !== false && this.#unavailable === undefined && this.#frames.isEnabledFor(contentType);
  }

  /**
   * Opens the resized image of a file. Metadata such as the location is not in it.
   * @param accept the client's `Accept` header.
   * @throws `IMAGES_DISABLED`, `IMAGE_TOO_LARGE`, `IMAGE_TYPE_UNSUPPORTED`, `IMAGE_UNREADABLE`, `SERVICE_UNAVAILABLE`.
   */
  async open(
    opened: OpenedFile,
    transform: ImageTransform,
    { accept, signal }: { accept: string | undefined; signal: AbortSignal },
  ): Promise<OpenedFile> {
    try {
      if (this.options.enabled === false || this.#unavailable !== undefined) throw disabled(this.#unavailable);
      const format = negotiateFormat(transform.format, accept);
      const variant = [VERSION, sizeOf(transform), transform.fit, format, transform.quality].join(',');
      const stored = await this.blobs.findDerived(opened.file, variant);
      const key = `${opened.file.id} ${opened.file.sha256} ${variant}`;
      const derived =
        stored ??
        (await this.#jobs.run(key, signal, (ended) => this.#derive(opened, transform, { format, variant, signal: ended })));
      this.onResult?.(stored ? 'cached' : 'resized');
      return { file: resizedFile(opened.file, derived), read: derived.read };
    } catch (cause) {
      if (!signal.aborted) this.onResult?.(cause instanceof BlobError ? cause.code : 'INTERNAL_SERVER_ERROR');
      throw cause;
    }
  }

  close(): void {
    this.#processes.close();
  }

  /** Computes and stores the result, or stores that it cannot be computed. */
  async #derive(
    opened: OpenedFile,
    transform: ImageTransform,
    { format, variant, signal }: { format: OutputFormat; variant: string; signal: AbortSignal },
  ): Promise<DerivedFile> {
    const { file } = opened;
    const program = frameProgramOf(file.contentType);
    // The operator may enable the program, so the failure is not stored.
    if (program !== undefined) this.#frames.assertPossible(opened, program);
    try {
      if (program === undefined && file.size > IMAGE_LIMITS.bytes)
        throw tooLarge('bytes', `Images of more than ${IMAGE_LIMITS.bytes / 1024 ** 2} MiB are not resized.`);
      const frame = program && (await this.#frames.extract(opened, program, signal));
      const job = (process: ImageProcess) => resize(process, frame ?? opened, transform, { format, signal });
      const image = await this.#processes.run(file.accountId, job, signal);
      return await this.blobs.putDerived(file, variant, image);
    } catch (cause) {
      if (cause instanceof BlobError && LASTING.has(cause.code))
        await this.blobs.putDerivationFailure(file, variant, cause).catch(() => {});
      if (!(cause instanceof ImagesUnavailable)) throw cause;
      if (this.#unavailable === undefined) this.onUnavailable?.(cause);
      this.#unavailable = cause;
      throw disabled(cause);
    }
  }
}

const disabled = (cause: unknown): BlobError =>
  new BlobError('IMAGES_DISABLED', 'This service does not resize images.', { cause });

/** Resizes an image, or the file that it reads. */
async function resize(
  process: ImageProcess,
  image: OpenedFile | Buffer,
  transform: ImageTransform,
  { format, signal }: { format: OutputFormat; signal: AbortSignal },
): Promise<ResizedImage> {
  if (Buffer.isBuffer(image)) return process.resize({ ...transform, format, bytes: image });
  const chunks: Uint8Array[] = [];
  for await (const chunk of await image.read(undefined, signal)) chunks.push(chunk as Uint8Array);
  return process.resize({ ...transform, format, bytes: Buffer.concat(chunks) });
}

/** Describes the result as a file, so that it is delivered by the same rules as the original. */
function resizedFile(file: StoredFile, { size, contentType, sha256 }: DerivedFile): StoredFile {
  const stored = file.contentDisposition ?? 'inline';
  const name = (parseDispositionName(stored) ?? baseName(file.key)).replace(/\.[^.]*$/, '');
  const type = /^inline/i.test(stored) ? 'inline' : 'attachment';
  const contentDisposition = formatDisposition(type, `${name}.${contentType.replace(/^image\//, '').replace('jpeg', 'jpg')}`);
  return { ...file, size, contentType, contentDisposition, sha256, etag: sha256.slice(0, 32), headers: {} };
}
