import { BlobError } from '../../../src/protocol/errors.js';
import { IMAGE } from '../../../src/protocol/limits.js';
import { loadOptional } from '../runtime/load-optional.js';
import { ProgramEnded, ProgramProcess } from '../runtime/program-process.js';
import type { ImageRequest, ImageResponse } from './image-messages.js';

/** Exit code of a process that exceeded its memory. */
const MEMORY_EXIT_CODE = 97;
/** The start of a process may take this long on a busy machine. */
const START_WITHIN_MS = 60_000;
/** Steps of priority ("nice") below an ordinary process. */
const PRIORITY = 10;

export type ResizeRequest = Omit<ImageRequest, 'limits'>;
export type ResizedImage = Extract<ImageResponse, { type: 'image' }>;

/** Limits of a process that tests lower. */
export type ProcessLimits = { [Name in 'pixels' | 'memory' | 'milliseconds']: number };

export const tooLarge = (limit: 'bytes' | 'pixels' | 'memory' | 'time', message: string): BlobError =>
  new BlobError('IMAGE_TOO_LARGE', message, { details: { limit } });

/** The package sharp is missing or does not run on this machine. */
export class ImagesUnavailable extends Error {
  override readonly name = 'ImagesUnavailable';
}

class ProcessEnded extends Error {
  override readonly name = 'ProcessEnded';
  constructor(readonly reason: 'late' | 'memory' | 'crash') {
    super(`The image process has ended: ${reason}.`);
  }
}

/** A process that resizes one image at a time. It keeps the service alive only while it works. */
export class ImageProcess {
  readonly #limits: ProcessLimits;
  readonly #process = new ProgramProcess<ImageResponse>(new URL(/* @vite-ignore */ './resize-process.js', import.meta.url));

  private constructor(limits: ProcessLimits) {
    this.#limits = limits;
  }

  /** @throws ImagesUnavailable if sharp cannot be used. */
  static async start(limits: ProcessLimits): Promise<ImageProcess> {
    const started = new ImageProcess(limits);
    const response = await started.#within(START_WITHIN_MS, started.#process.response()).catch((cause: unknown) => {
      throw cause instanceof ProcessEnded
        ? new BlobError('SERVICE_UNAVAILABLE', 'No image can be resized now. Try again.', { cause })
        : cause;
    });
    if (response.type === 'ready') {
      started.#process.setPriority(PRIORITY);
      started.#process.release();
      return started;
    }
    started.end();
    const { code, message } = response.type === 'unavailable' ? response : { code: undefined, message: 'sharp does not start' };
    return loadOptional('images', () => Promise.reject(Object.assign(new Error(message), { code }))).catch((cause: Error) => {
      throw new ImagesUnavailable(cause.message, { cause });
    });
  }

  get isRunning(): boolean {
    return this.#process.isRunning;
  }

  /** @throws `IMAGE_TOO_LARGE`, `IMAGE_UNREADABLE`, `IMAGE_TYPE_UNSUPPORTED`. */
  async resize(request: ResizeRequest): Promise<ResizedImage> {
    const { pixels, memory, milliseconds } = this.#limits;
    const limits = { pixels, side: IMAGE.side.max, memory, memoryExitCode: MEMORY_EXIT_CODE };
    const responded = this.#process.request({ ...request, limits } satisfies ImageRequest);
    try {
      return assertImage(await this.#within(milliseconds, responded), pixels);
    } catch (cause) {
      throw cause instanceof ProcessEnded ? failureOf(cause, milliseconds) : cause;
    }
  }

  end(): void {
    this.#process.end();
  }

  /** Waits for a response. Kills the process if it takes too long. @throws ProcessEnded */
  async #within(milliseconds: number, responded: Promise<ImageResponse>): Promise<ImageResponse> {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      this.end();
    }, milliseconds);
    try {
      return await responded;
    } catch (cause) {
      if (!(cause instanceof ProgramEnded)) throw cause;
      throw new ProcessEnded(isLate ? 'late' : cause.exitCode === MEMORY_EXIT_CODE ? 'memory' : 'crash');
    } finally {
      clearTimeout(timer);
    }
  }
}

function failureOf({ reason }: ProcessEnded, milliseconds: number): BlobError {
  switch (reason) {
    case 'late':
      return tooLarge('time', `The image takes longer than ${milliseconds / 1000} seconds.`);
    case 'memory':
      return tooLarge('memory', 'The image needs too much memory.');
    case 'crash':
      return new BlobError('IMAGE_UNREADABLE', 'The image is damaged: its decoder failed.');
  }
}

/** @throws the error of a rejection. */
function assertImage(response: ImageResponse, pixels: number): ResizedImage {
  if (response.type === 'image') return response;
  const { reason, message } = response.type === 'rejected' ? response : ({ reason: 'unreadable', message: '' } as const);
  const cause = new Error(message);
  switch (reason) {
    case 'pixels':
      throw tooLarge('pixels', `The image has more than ${pixels / 1e6} million pixels.`);
    case 'unsupported':
      throw new BlobError('IMAGE_TYPE_UNSUPPORTED', 'Only JPEG, PNG, GIF, WebP and AVIF images can be resized.', { cause });
    case 'unreadable':
      throw new BlobError('IMAGE_UNREADABLE', 'The image is damaged or incomplete.', { cause });
  }
}
