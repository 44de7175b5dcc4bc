import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Page } from 'playwright-core';

/** A picture, and its size on the sheet in CSS pixels. */
export interface Picture {
  file: string;
  width: number;
  /** Cuts higher pictures. @default their height */
  height?: number;
}

export interface Sheet {
  pictures: readonly Picture[];
  target: string;
  /** Width of the sheet, CSS pixels. */
  width: number;
}

/** Makes one picture of several, each below its name. @param page an empty page */
export async function makeSheet(page: Page, { pictures, target, width }: Sheet): Promise<void> {
  const figures = await Promise.all(
    pictures.map(async ({ file, width: shown, height }) => {
      const bytes = await readFile(file);
      const size = `width:${shown}px${height === undefined ? '' : `;max-height:${height + 16}px`}`;
      return `<figure style="${size}"><figcaption>${basename(file, '.png')}</figcaption>
        <img src="data:image/png;base64,${bytes.toString('base64')}"></figure>`;
    }),
  );
  await page.setViewportSize({ width, height: 400 });
  await page.setContent(`<style>body{display:flex;flex-wrap:wrap;align-items:start;gap:8px;font:12px sans-serif;background:#bbb;margin:8px}
    figure{margin:0;overflow:hidden}img{width:100%}</style>${figures.join('')}`);
  await page.screenshot({ path: target, fullPage: true });
}
