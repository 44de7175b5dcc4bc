import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installPackages } from '../support/debian.js';

/** The programs that the service may use. Tests of real pictures need them. */
export const FFMPEG = '/usr/bin/ffmpeg';
export const PDFTOPPM = '/usr/bin/pdftoppm';

/**
 * Installs ffmpeg and pdftoppm on Debian.
 *
 * @returns false if they are missing
 * @throws Error if TEST_FRAMES_REQUIRED is set, as in CI, and they are missing
 */
export function installFramePrograms(): boolean {
  if (installPackages(['ffmpeg', 'poppler-utils'], [FFMPEG, PDFTOPPM])) return true;
  const message = 'ffmpeg and pdftoppm need root on Debian';
  if (process.env['TEST_FRAMES_REQUIRED']) throw new Error(`${message}, but TEST_FRAMES_REQUIRED is set.`);
  console.warn(`${message}. Tests of real videos and PDFs are skipped.`);
  return false;
}

function encode(extension: string, ...parameters: string[]): Buffer<ArrayBuffer> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-sample-'));
  try {
    const path = join(folder, `sample.${extension}`);
    execFileSync(FFMPEG, ['-loglevel', 'error', ...parameters, path]);
    return Buffer.from(readFileSync(path));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const videos = new Map<string, Buffer<ArrayBuffer>>();

/** A video of ten seconds: half a second of red, then blue. 320 × 240 pixels. */
export function redThenBlue(extension: string, codec: string): Buffer<ArrayBuffer> {
  const made = videos.get(extension);
  if (made) return made;
  const color = (name: string, seconds: number) => `color=c=${name}:s=320x240:r=2:d=${seconds}`;
  const graph = `${color('red', 0.5)}[a];${color('blue', 9.5)}[b];[a][b]concat`;
  const video = encode(extension, '-f', 'lavfi', '-i', graph, '-c:v', codec, '-pix_fmt', 'yuv420p');
  videos.set(extension, video);
  return video;
}

/** A green video of one frame. @param size such as 320x240 */
export const greenVideo = (size: string): Buffer<ArrayBuffer> =>
  encode('mkv', '-f', 'lavfi', '-i', `color=c=green:s=${size}:r=1:d=1`, '-c:v', 'ffv1', '-pix_fmt', 'yuv420p');

/** A video whose only frame has 134 million pixels, in about 400 kB. */
export const hugeVideo = (): Buffer<ArrayBuffer> =>
  encode('mov', '-f', 'lavfi', '-i', 'color=c=black:s=16384x8192:r=1:d=1', '-frames:v', '1', '-c:v', 'png', '-pix_fmt', 'gray');

/** A PDF with one page for each colour. @param box width and height of the pages in points */
export function pdf(colors: readonly string[], [width, height]: readonly [number, number] = [200, 100]): Buffer<ArrayBuffer> {
  const objects = ['<</Type/Catalog/Pages 2 0 R>>'];
  const kids = colors.map((_, index) => `${3 + 2 * index} 0 R`).join(' ');
  objects.push(`<</Type/Pages/Kids[${kids}]/Count ${colors.length}>>`);
  for (const [index, color] of colors.entries()) {
    const content = `${color} rg 0 0 ${width} ${height} re f`;
    objects.push(`<</Type/Page/Parent 2 0 R/MediaBox[0 0 ${width} ${height}]/Contents ${4 + 2 * index} 0 R>>`);
    objects.push(`<</Length ${content.length}>>stream\n${content}\nendstream`);
  }
  let text = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj${object}endobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const start = text.length;
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.join('')}`;
  text += `trailer<</Size ${objects.length + 1}/Root 1 0 R>>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(text, 'latin1');
}
