import { readFile, writeFile } from 'node:fs/promises';
import type { BrowserContextOptions } from 'playwright-core';
import sharp from 'sharp';
import { FILES } from './console-states/file-scenes.js';
import type { Scene } from './console-states/scene.js';
import { PEOPLE_SECTIONS, STORAGE_SECTIONS } from './console-states/section-scenes.js';
import { Studio } from './console-states/studio.js';

// The pictures of the console in the docs: `npx tsx scripts/pictures/docs-pictures.ts`. They have a palette, which makes them small.

const desktop = (height: number): BrowserContextOptions => ({ viewport: { width: 1200, height }, deviceScaleFactor: 1.5 });
const PHONE: BrowserContextOptions = {
  viewport: { width: 390, height: 800 },
  deviceScaleFactor: 1.5,
  isMobile: true,
  hasTouch: true,
};

const PICTURES: Readonly<Record<string, { scene: Scene; window: BrowserContextOptions }>> = {
  console: { scene: FILES['files-grid']!, window: desktop(480) },
  'console-phone': { scene: FILES['files-selection']!, window: { ...PHONE, colorScheme: 'dark' } },
  'console-share': { scene: FILES['files-share-created']!, window: desktop(560) },
  'console-overview': { scene: { ...STORAGE_SECTIONS['overview']!, isWhole: false }, window: desktop(900) },
  'console-webhook': { scene: STORAGE_SECTIONS['webhook']!, window: desktop(480) },
  'console-members': { scene: PEOPLE_SECTIONS['members']!, window: desktop(360) },
};

const COLORS = 128;

const studio = await Studio.open();
try {
  for (const [name, { scene, window }] of Object.entries(PICTURES)) {
    const target = `docs/${name}.png`;
    await studio.photograph({ target, scene, window });
    const small = await sharp(await readFile(target))
      .png({ palette: true, colours: COLORS, effort: 10 })
      .toBuffer();
    await writeFile(target, small);
    console.log(`${target}: ${small.length} bytes`);
  }
} finally {
  await studio.stop();
  for (const problem of studio.problems) console.log(problem);
}
