import type { Page } from 'playwright-core';
import type { Scene } from './scene.js';

const dialog = 'svc-uploader .source-dialog';

/** Opens the dialog of the only source. */
async function openDialog(page: Page): Promise<void> {
  await page.locator('svc-uploader .pick').click();
  await page.locator(dialog).waitFor();
}

/** Presses the first button of a dialog when its device is on. */
async function pressMain(page: Page): Promise<void> {
  await page.locator(`${dialog} .act:not([aria-disabled=true])`).first().click({ timeout: 20_000 });
}

const openAndPress =
  (...presses: readonly ((page: Page) => Promise<void>)[]) =>
  async (page: Page) => {
    await openDialog(page);
    for (const press of presses) await press(page);
  };

/** Lets the browser answer a request for a device with an error. */
const refuse = (name: string) => async (page: Page) => {
  await page.evaluate((error) => {
    navigator.mediaDevices.getUserMedia = async () => {
      throw new DOMException('', error);
    };
  }, name);
  await openDialog(page);
};

/** Replaces the choice of a screen, which only a person can make. */
const drawScreen = (page: Page) =>
  page.evaluate(() => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 1280, height: 720 });
    const context = canvas.getContext('2d')!;
    context.fillStyle = '#3a6ea5';
    context.fillRect(0, 0, 1280, 720);
    context.fillStyle = '#fff';
    context.fillRect(160, 100, 720, 480);
    navigator.mediaDevices.getDisplayMedia = async () => canvas.captureStream(5);
  });

const photo = { sources: 'camera', accept: 'image/*', multiple: true, label: 'Photos' };
const video = { ...photo, accept: 'video/*', label: 'Videos' };
const sound = { ...photo, sources: 'microphone', accept: 'audio/*', label: 'Recordings' };
const screen = { ...video, sources: 'screen' };
const height = 640;
const second = (page: Page) => page.waitForTimeout(1200);

/** States of the dialogs of cameras and recordings. Chromium needs its fake devices. */
export const sourceScenes: Readonly<Record<string, Scene>> = {
  'photo-live': { attributes: photo, height, act: openAndPress(second) },
  'photo-taken': { attributes: photo, height, act: openAndPress(second, pressMain) },
  'photo-refused': { attributes: photo, height, act: refuse('NotAllowedError') },
  'photo-missing': { attributes: photo, height, act: refuse('NotFoundError') },
  'photo-de': { attributes: { ...photo, locale: 'de' }, height, act: openAndPress(second, pressMain) },
  'photo-rtl': { attributes: { ...photo, locale: 'ar' }, height, act: openAndPress(second) },
  'video-live': { attributes: video, height, act: openAndPress(second) },
  'video-recording': { attributes: video, height, act: openAndPress(second, pressMain, second) },
  'video-recorded': { attributes: video, height, act: openAndPress(second, pressMain, second, pressMain) },
  'sound-live': { attributes: sound, height, act: openAndPress(second) },
  'sound-recording': { attributes: sound, height, act: openAndPress(second, pressMain, second) },
  'sound-recorded': { attributes: sound, height, act: openAndPress(second, pressMain, second, pressMain) },
  'screen-start': { attributes: screen, height, act: async (page) => (await drawScreen(page), openDialog(page)) },
  'screen-recording': {
    attributes: screen,
    height,
    act: async (page) => (await drawScreen(page), openAndPress(pressMain, second)(page)),
  },
};
