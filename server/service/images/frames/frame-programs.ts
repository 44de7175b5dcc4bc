import { basename, isAbsolute } from 'node:path';

/** The programs that the operator may enable. ffmpeg takes frames of videos, pdftoppm the first pages of PDFs. */
export const FRAME_PROGRAMS = ['ffmpeg', 'pdftoppm'] as const;
export type FrameProgram = (typeof FRAME_PROGRAMS)[number];

/** The command of each enabled program: its name, which PATH finds, or its absolute path. */
export type FrameCommands = Partial<Record<FrameProgram, string>>;

/**
 * Reads the names or absolute paths of programs.
 * @throws Error if one is neither.
 */
export function parseFrameCommands(items: readonly string[]): FrameCommands {
  const commands: FrameCommands = {};
  for (const item of items) {
    const program = FRAME_PROGRAMS.find((name) => name === basename(item));
    if (program === undefined || (item !== program && !isAbsolute(item)))
      throw new Error(`thumbnails must list ffmpeg, pdftoppm or absolute paths that end so; got "${item}"`);
    commands[program] = item;
  }
  return commands;
}
