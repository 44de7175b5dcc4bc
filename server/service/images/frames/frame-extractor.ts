import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { BlobError } from '../../../../src/protocol/errors.js';
import { FairConcurrencyLimit } from '../fair-concurrency-limit.js';
import { RETRY_AFTER_SECONDS } from '../../runtime/retry-after.js';
import type { OpenedFile } from '../../storage/blob-storage.js';
import { tooLarge } from '../image-process.js';
import { FRAME_LIMITS } from '../limits.js';
import { detectFormat, frameProgramOf, HEAD_BYTES, nounOf } from './frame-source.js';
import { FRAME_PROGRAMS } from './frame-programs.js';
import type { FrameCommands, FrameProgram } from './frame-programs.js';
import { sweepPrivateFolders, withPrivateFolder } from './private-folder.js';
import { runProgram } from './run-program.js';
import type { RunOptions, RunResult } from './run-program.js';

/** Limits that tests lower. */
export type FrameLimits = { [Name in keyof typeof FRAME_LIMITS]: number };

const unavailable = (message: string, cause?: unknown): BlobError =>
  new BlobError('SERVICE_UNAVAILABLE', message, {
    details: { retry_after: RETRY_AFTER_SECONDS, unavailable: 'images' },
    ...(cause !== undefined && { cause }),
  });
const busy = () => unavailable('Too many videos and PDFs wait for their pictures. Try again.');
/** For a failure that does not depend on the file. */
const failed = (cause: unknown) => unavailable('The service cannot make the picture now. Try again.', cause);

/** Exit codes of a shell and of prlimit(1) whose program is missing or cannot be started. */
const START_FAILURES: readonly (number | null)[] = [126, 127];

/** Takes a frame of a video or the first page of a PDF with a program that the operator has enabled. */
export class FrameExtractor {
  readonly #limit: FairConcurrencyLimit;

  constructor(
    private readonly commands: FrameCommands,
    private readonly limits: FrameLimits = FRAME_LIMITS,
  ) {
    this.#limit = new FairConcurrencyLimit({
      maxRunning: limits.programs,
      maxRunningPerAccount: limits.programsPerAccount,
      maxWaiting: limits.waiting,
      maxPerAccount: limits.perAccount,
      busy,
    });
  }

  /** Returns whether files of a content type have pictures. */
  isEnabledFor(contentType: string): boolean {
    const program = frameProgramOf(contentType);
    return program !== undefined && this.commands[program] !== undefined;
  }

  /**
   * Deletes what a killed process left, and starts each enabled program once.
   * @returns whether a program is enabled. @throws Error if one cannot be started.
   */
  async check(): Promise<boolean> {
    const enabled = FRAME_PROGRAMS.filter((program) => this.commands[program] !== undefined);
    if (enabled.length === 0) return false;
    await sweepPrivateFolders();
    for (const program of enabled) {
      const parameter = program === 'ffmpeg' ? '-version' : '-v';
      const { code, stderr } = await this.#inFolder((options) => runProgram(this.commands[program]!, [parameter], options)).catch(
        (cause: unknown): Pick<RunResult, 'code' | 'stderr'> => ({ code: null, stderr: (cause as Error).message }),
      );
      if (code !== 0) throw new Error(`thumbnails: ${this.commands[program]} cannot be started: ${stderr.trim()}`);
    }
    return true;
  }

  /**
   * Returns a PNG image of the video or PDF.
   * @throws `IMAGE_TYPE_UNSUPPORTED` if the program is not enabled or does not know the format; `IMAGE_TOO_LARGE`, `IMAGE_UNREADABLE`,
   * `SERVICE_UNAVAILABLE`.
   */
  async extract(opened: OpenedFile, program: FrameProgram, signal: AbortSignal): Promise<Buffer> {
    this.assertPossible(opened, program);
    const job = () => this.#inFolder((options) => this.#extract(opened, program, options), signal);
    try {
      return await this.#limit.run(opened.file.accountId, job, signal);
    } catch (cause) {
      if (cause instanceof BlobError || signal.aborted) throw cause;
      throw failed(cause);
    }
  }

  /** Checks a file by what its record states. @throws `IMAGE_TYPE_UNSUPPORTED`, `IMAGE_TOO_LARGE`. */
  assertPossible({ file }: Pick<OpenedFile, 'file'>, program: FrameProgram): void {
    if (this.commands[program] === undefined)
      throw new BlobError('IMAGE_TYPE_UNSUPPORTED', `This service makes no pictures of ${nounOf(program)}.`);
    const max = program === 'ffmpeg' ? this.limits.videoBytes : this.limits.pdfBytes;
    if (file.size > max)
      throw tooLarge('bytes', `${nounOf(program)} of more than ${max / 1024 ** 2} MiB get no picture.`.replace(/^v/, 'V'));
  }

  #inFolder<T>(work: (options: RunOptions) => Promise<T>, signal = new AbortController().signal): Promise<T> {
    const { milliseconds, memory, output } = this.limits;
    return withPrivateFolder((folder) => work({ folder, signal, milliseconds, memory, output }));
  }

  async #extract(opened: OpenedFile, program: FrameProgram, options: RunOptions): Promise<Buffer> {
    const path = join(options.folder, 'input');
    const format = detectFormat(program, await copyTo(path, opened, options.signal));
    if (format === undefined)
      throw new BlobError(
        'IMAGE_TYPE_UNSUPPORTED',
        program === 'ffmpeg' ? 'Only MP4, QuickTime, WebM and Matroska videos have pictures.' : 'The file is not a PDF.',
      );
    const command = this.commands[program]!;
    if (format === 'pdf') return this.#pictureOf(await runProgram(command, pdfParameters(path, this.limits.side), options));
    const video = { path, format, side: this.limits.side, pixels: this.limits.pixels };
    const { stderr } = await runProgram(command, inputParameters(video), options);
    const position = framePosition(stderr);
    const frame = await runProgram(command, frameParameters(video, position), options);
    if (position === 0 || frame.exceeded || frame.stdout.length > 0) return this.#pictureOf(frame);
    // The stated duration may be longer than the video.
    return this.#pictureOf(await runProgram(command, frameParameters(video, 0), options));
  }

  /** @throws the error of a run without a picture. */
  #pictureOf({ code, signal, stdout, stderr, exceeded }: RunResult): Buffer {
    if (exceeded === 'time') throw tooLarge('time', `The picture takes longer than ${this.limits.milliseconds / 1000} seconds.`);
    const cause = new Error(stderr.slice(-1000));
    if (code === 0 && stdout.length > 0) return stdout;
    // An upgrade replaces the program, or the kernel kills it because other processes use the memory.
    if (START_FAILURES.includes(code) || (signal === 'SIGKILL' && exceeded === undefined)) throw failed(cause);
    if (exceeded === 'output' || /cannot allocate|out of memory|bad_alloc/i.test(stderr))
      throw tooLarge('memory', 'The picture needs too much memory.');
    throw new BlobError('IMAGE_UNREADABLE', 'The file is damaged or incomplete: it has no picture.', { cause });
  }
}

/** Copies the bytes to a file, because the programs must seek. @returns the first bytes */
async function copyTo(path: string, opened: OpenedFile, signal: AbortSignal): Promise<Buffer> {
  const target = await open(path, 'wx', 0o600);
  let head = Buffer.alloc(0);
  try {
    for await (const chunk of await opened.read(undefined, signal)) {
      if (head.length < HEAD_BYTES) head = Buffer.concat([head, (chunk as Buffer).subarray(0, HEAD_BYTES - head.length)]);
      await target.writeFile(chunk as Buffer);
    }
  } finally {
    await target.close();
  }
  return head;
}

/** Longest time from the start of a video to its frame, seconds. */
const MAX_POSITION = 10;

/** Reads the duration from the messages of ffmpeg. @returns seconds: a tenth of the duration, at most ten. */
export function framePosition(messages: string): number {
  const [, hours, minutes, seconds] = /^ *Duration: (\d+):(\d\d):(\d\d(?:\.\d+)?)/m.exec(messages) ?? [];
  if (hours === undefined) return 0;
  const duration = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return Math.min(MAX_POSITION, duration / 10);
}

interface VideoInput {
  path: string;
  format: 'mov' | 'matroska';
  side: number;
  pixels: number;
}

/** ffmpeg may read this file only, as this format only. Without an output, it prints what it has found. */
const inputParameters = ({ path, format, pixels }: VideoInput, position = 0): string[] => [
  '-nostdin',
  '-hide_banner',
  '-protocol_whitelist',
  'file',
  '-format_whitelist',
  format === 'mov' ? 'mov,mp4,m4a,3gp,3g2,mj2' : 'matroska,webm',
  // Tracks whose data is in another file.
  ...(format === 'mov' ? ['-enable_drefs', '0', '-use_absolute_path', '0'] : []),
  '-f',
  format,
  '-threads',
  '1',
  '-max_pixels',
  String(pixels),
  ...(position > 0 ? ['-ss', position.toFixed(3)] : []),
  '-i',
  `file:${path}`,
];

function frameParameters(video: VideoInput, position: number): string[] {
  // At least one pixel: the shorter side of a very wide frame would be rounded to none.
  const scaled = (side: 'iw' | 'ih') => `'max(1,round(${side}*min(1,${video.side}/max(iw,ih))))'`;
  return [
    ...inputParameters(video, position),
    '-map',
    '0:v:0',
    '-an',
    '-sn',
    '-dn',
    '-frames:v',
    '1',
    '-vf',
    `scale=w=${scaled('iw')}:h=${scaled('ih')}`,
    '-pix_fmt',
    'rgb24',
    '-filter_threads',
    '1',
    '-threads',
    '1',
    '-c:v',
    'png',
    '-f',
    'image2pipe',
    'pipe:1',
  ];
}

const pdfParameters = (path: string, side: number): string[] => [
  '-f',
  '1',
  '-l',
  '1',
  '-singlefile',
  '-cropbox',
  '-png',
  '-scale-to',
  String(side),
  path,
];
