import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { setPriority } from 'node:os';
import { BlobError } from '../../../src/protocol/errors.js';
import { IMAGE } from '../../../src/protocol/limits.js';
import { childEnvironment } from '../runtime/child-environment.js';
import { loadOptional } from '../runtime/load-optional.js';
import type { ImageRequest, ImageResponse } from './image-messages.js';

/** Exit code of a process that exceeded its memory. */
const MEMORY_EXIT_CODE = 97;
/** The start of a process may take this long on a busy machine. */
const START_WITHIN_MS = 60_000;

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
  isRunning = true;
  readonly #child: ChildProcess;
  readonly #limits: ProcessLimits;

  private constructor(limits: ProcessLimits) {
    this.#limits = limits;
    // vite.config.ts builds the file. Vite itself would put it into a `data:` URL, which cannot be started.
    this.#child = fork(new URL(/* @vite-ignore */ './resize-process.js', import.meta.url), {
      execArgv: [],
      env: childEnvironment(),
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
    });
    this.#child.on('error', () => {});
    this.#child.once('exit', () => (this.isRunning = false));
  }

  /** @throws ImagesUnavailable if sharp cannot be used. */
  static async start(limits: ProcessLimits): Promise<ImageProcess> {
    const started = new ImageProcess(limits);
    const response = await started.#response(START_WITHIN_MS).catch((cause: unknown) => {
      throw cause instanceof ProcessEnded
        ? new BlobError('SERVICE_UNAVAILABLE', 'No image can be resized now. Try again.', { cause })
        : cause;
    });
    if (response.type === 'ready') {
      started.#lowerPriority();
      started.#release();
      return started;
    }
    started.end();
    const { code, message } = response.type === 'unavailable' ? response : { code: undefined, message: 'sharp does not start' };
    return loadOptional('images', () => Promise.reject(Object.assign(new Error(message), { code }))).catch((cause: Error) => {
      throw new ImagesUnavailable(cause.message, { cause });
    });
  }

  /** @throws `IMAGE_TOO_LARGE`, `IMAGE_UNREADABLE`, `IMAGE_TYPE_UNSUPPORTED`. */
  async resize(request: ResizeRequest): Promise<ResizedImage> {
    const { pixels, memory, milliseconds } = this.#limits;
    const limits = { pixels, side: IMAGE.side.max, memory, memoryExitCode: MEMORY_EXIT_CODE };
    this.#child.ref();
    this.#child.channel?.ref();
    const responded = this.#response(milliseconds);
    this.#child.send({ ...request, limits } satisfies ImageRequest, () => {});
    try {
      return assertImage(await responded, pixels);
    } catch (cause) {
      throw cause instanceof ProcessEnded ? failureOf(cause, milliseconds) : cause;
    } finally {
      this.#release();
    }
  }

  end(): void {
    this.isRunning = false;
    this.#child.kill('SIGKILL');
  }

  /** Waits for the next message. Kills the process if it takes too long. @throws ProcessEnded */
  #response(milliseconds: number): Promise<ImageResponse> {
    return new Promise((resolve, reject) => {
      const child = this.#child;
      let isLate = false;
      const timer = setTimeout(() => {
        isLate = true;
        this.end();
      }, milliseconds);
      const settle = () => {
        clearTimeout(timer);
        child.off('message', onMessage).off('exit', onExit).off('error', onError);
      };
      const onMessage = (response: unknown) => {
        settle();
        resolve(response as ImageResponse);
      };
      const onExit = (code: number | null) => {
        settle();
        this.isRunning = false;
        reject(new ProcessEnded(isLate ? 'late' : code === MEMORY_EXIT_CODE ? 'memory' : 'crash'));
      };
      const onError = (cause: Error) => {
        settle();
        this.end();
        reject(cause);
      };
      child.once('message', onMessage).once('exit', onExit).once('error', onError);
    });
  }

  /** Lets the service end while the process waits for work. */
  #release(): void {
    this.#child.unref();
    this.#child.channel?.unref();
  }

  #lowerPriority(): void {
    try {
      if (this.#child.pid !== undefined) setPriority(this.#child.pid, 10);
    } catch {
      // The process has ended, or the system refuses.
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
