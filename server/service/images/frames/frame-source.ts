import { parseMediaType } from '../../../../src/protocol/media-type.js';
import type { FrameProgram } from './frame-programs.js';

/** A format whose frames or pages can become a picture. */
export type FrameFormat = 'mov' | 'matroska' | 'pdf';

const NOUNS = { ffmpeg: 'videos', pdftoppm: 'PDFs' } as const;

/** @returns the program for files of a content type; undefined for other files. */
export function frameProgramOf(contentType: string): FrameProgram | undefined {
  const essence = parseMediaType(contentType)?.essence ?? '';
  if (essence.startsWith('video/')) return 'ffmpeg';
  return essence === 'application/pdf' ? 'pdftoppm' : undefined;
}

export const nounOf = (program: FrameProgram): string => NOUNS[program];

/** The boxes with which MP4 and QuickTime files begin. */
const MOV_BOXES = new Set(['ftyp', 'moov', 'mdat', 'wide', 'free', 'skip', 'pnot']);
const EBML = Buffer.from([0x1a, 0x45, 0xdf, 0xa3]);
/** Bytes that `detectFormat` needs. */
export const HEAD_BYTES = 1024;

/**
 * Detects the format by the first bytes. Programs are told the format and never guess it, because playlists refer to other files and addresses.
 * @returns undefined for a format that the program must not read.
 */
export function detectFormat(program: FrameProgram, head: Buffer): FrameFormat | undefined {
  if (program === 'pdftoppm') return head.includes('%PDF-') ? 'pdf' : undefined;
  if (head.subarray(0, 4).equals(EBML)) return 'matroska';
  return MOV_BOXES.has(head.toString('latin1', 4, 8)) ? 'mov' : undefined;
}
