import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { BrowserContextOptions } from 'playwright-core';
import { FILES } from './console-states/file-scenes.js';
import { FRAME, VARIANTS } from './console-states/frame-scenes.js';
import type { Scenes } from './console-states/scene.js';
import { PEOPLE_SECTIONS, STORAGE_SECTIONS } from './console-states/section-scenes.js';
import { Studio } from './console-states/studio.js';
import { makeSheet } from './make-sheet.js';
import type { Picture } from './make-sheet.js';

// Pictures of all states of the console, and sheets of them: `npx tsx scripts/pictures/console-states.ts FOLDER [STATE…]`.
// VIEWS=pt-br,zoom selects views. Reports pages that are too wide, small targets, cut texts, and errors of the pages.

const PHONE: BrowserContextOptions = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
const DESKTOP: BrowserContextOptions = { viewport: { width: 1280, height: 800 } };
const BOTH = [DESKTOP, PHONE];
const SCENES: Scenes = { ...FILES, ...STORAGE_SECTIONS, ...PEOPLE_SECTIONS, ...FRAME };

interface SheetLayout {
  /** Size of the pictures on a sheet. */
  scale: number;
  /** Width of a sheet, CSS pixels. */
  width: number;
  /** Pictures of a sheet. */
  count: number;
}

interface View {
  scenes: Scenes;
  /** Windows, whose pictures stand side by side. */
  windows: readonly BrowserContextOptions[];
  isRightToLeft?: boolean;
  sheets: SheetLayout;
}

/** A scene a row, with legible texts. */
const DETAILED: SheetLayout = { scale: 0.66, width: 1140, count: 4 };
/** Two scenes a row. */
const OVERVIEW: SheetLayout = { scale: 0.45, width: 1560, count: 8 };
const ZOOMED: SheetLayout = { scale: 1, width: 1330, count: 12 };

const views: Record<string, View> = {
  light: { scenes: SCENES, windows: BOTH, sheets: DETAILED },
  dark: { scenes: SCENES, windows: BOTH.map((window) => ({ ...window, colorScheme: 'dark' as const })), sheets: OVERVIEW },
  'pt-br': { scenes: VARIANTS['pt-br']!, windows: BOTH, sheets: OVERVIEW },
  'es-es': { scenes: VARIANTS['es-es']!, windows: BOTH, sheets: OVERVIEW },
  forced: {
    scenes: VARIANTS['forced']!,
    windows: [{ ...DESKTOP, forcedColors: 'active', colorScheme: 'dark' }],
    sheets: OVERVIEW,
  },
  rtl: { scenes: VARIANTS['rtl']!, windows: BOTH, isRightToLeft: true, sheets: OVERVIEW },
  // A window of 1280 × 1024 pixels at 400 %.
  zoom: { scenes: VARIANTS['zoom']!, windows: [{ viewport: { width: 320, height: 256 } }], sheets: ZOOMED },
};

/** Makes sheets with some pictures each. Viewers of pictures shrink larger ones. */
async function makeSheets(target: string, pictures: readonly Picture[], layout: SheetLayout): Promise<void> {
  const page = await studio.browser.newPage();
  for (let start = 0; start < pictures.length; start += layout.count) {
    const number = String(1 + start / layout.count).padStart(2, '0');
    const shown = pictures.slice(start, start + layout.count);
    await makeSheet(page, { pictures: shown, target: `${target}-${number}.png`, width: layout.width });
  }
  await page.close();
}

async function photographView(name: string, { scenes, windows, isRightToLeft = false, sheets }: View): Promise<void> {
  const pictures: Picture[] = [];
  for (const [state, scene] of Object.entries(scenes)) {
    if (only.length > 0 && !only.includes(state)) continue;
    for (const window of windows) {
      const { width, height } = window.viewport!;
      const target = join(folder!, `${name}-${state}-${width}.png`);
      const isTaken = await studio.photograph({ target, scene, window, isRightToLeft });
      if (isTaken) pictures.push({ file: target, width: width * sheets.scale, height: height * sheets.scale });
    }
  }
  await makeSheets(join(folder!, `sheet-${name}`), pictures, sheets);
}

const [folder, ...only] = process.argv.slice(2);
if (folder === undefined) throw new Error('tsx scripts/pictures/console-states.ts FOLDER [STATE…]');
await mkdir(folder, { recursive: true });
const chosenViews = (process.env['VIEWS'] ?? Object.keys(views).join(',')).split(',');
const studio = await Studio.open();
try {
  for (const name of chosenViews) await photographView(name, views[name]!);
} finally {
  await studio.stop();
  for (const problem of studio.problems) console.log(problem);
}
