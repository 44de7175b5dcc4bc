import type { Page } from 'playwright-core';
import type { Scene } from './scene.js';

const photoNames = [
  'Harbour at dawn.jpg',
  'IMG_2041.jpg',
  'Grandmother with the whole family, summer of 2026.jpg',
  'lake.webp',
  'Skyline.png',
];
/** Files with `size` 0 and a type become drawn pictures. */
const photos = photoNames.map((name) => ({ name, size: 0, type: name.endsWith('png') ? 'image/png' : 'image/jpeg' }));
const documents = [
  { name: 'Quarterly report with a rather long name.pdf', size: 4_200_000, type: 'application/pdf' },
  { name: 'invoice-2026-11.xlsx', size: 182_000 },
  { name: 'Minutes.docx', size: 88_000 },
  { name: 'backup.tar.gz', size: 950_000 },
  { name: 'interview.mp3', size: 1_950_000 },
  { name: 'clip.mp4', size: 2_950_000 },
  { name: 'LICENSE', size: 900 },
];
const all = [...photos, ...documents];
const many = Array.from({ length: 300 }, (_, index) => ({ ...photos[index % 5]!, name: `IMG_${2000 + index}.jpg` }));
const reportValidity = (page: Page) =>
  page.evaluate(
    () => void (document.querySelector('svc-uploader') as HTMLElement & { reportValidity(): boolean }).reportValidity(),
  );
const avatar = { appearance: 'avatar', label: 'Your picture', 'allowed-extensions': 'jpg, png, webp', 'max-size': '5MB' };
const grid = { appearance: 'grid', multiple: true, label: 'Photos' };

/** Presses the thumbnail of a file. */
const openLightbox = (index: number) => async (page: Page) => {
  await page
    .locator('svc-uploader button[part=thumbnail]')
    .nth(index)
    .click({ position: { x: 20, y: 100 } });
  await page.waitForTimeout(700);
};

/** Scenes of tiles with large thumbnails. */
export const pictureScenes: Record<string, Scene> = {
  'grid-empty': { attributes: { ...grid, 'max-size': '10MB', 'allowed-extensions': 'jpg, png, webp' } },
  'grid-mixed': { attributes: grid, files: all, storage: 'mixed' },
  'grid-one': { attributes: { ...grid, multiple: false, label: 'Photo' }, files: photos.slice(0, 1), storage: 'store' },
  'grid-uploading': { attributes: grid, files: photos, storage: 'hang' },
  'grid-done': { attributes: { ...grid, reorderable: true }, files: all, storage: 'store' },
  'grid-failed': { attributes: grid, files: photos, storage: 'damage' },
  'grid-away': { attributes: grid, files: photos.slice(0, 1), storage: 'away' },
  'grid-rejected': { attributes: { ...grid, 'max-size': '1MB', 'allowed-extensions': 'jpg, png' }, files: all, storage: 'store' },
  'grid-readonly': { attributes: { ...grid, readonly: true }, files: photos, storage: 'store' },
  'grid-many': { attributes: grid, files: many, storage: 'hang' },
  'grid-fields': {
    attributes: { ...grid, fields: '[{"name":"caption","label":"Caption","required":true}]' },
    files: photos,
    storage: 'hang',
  },
  lightbox: { attributes: grid, files: photos, storage: 'hang', act: openLightbox(2) },
  'lightbox-list': { attributes: { multiple: true, label: 'Photos' }, files: all, storage: 'mixed' },
  'lightbox-rtl': { attributes: { ...grid, locale: 'ar' }, files: photos, storage: 'hang', act: openLightbox(1) },
  'avatar-empty': { attributes: { ...avatar, required: true } },
  'avatar-square': { attributes: { ...avatar, label: 'Logo', shape: 'square' } },
  'avatar-dragging': {
    attributes: avatar,
    act: (page) =>
      page.evaluate(() => {
        const transfer = new DataTransfer();
        transfer.items.add(new File(['x'], 'a.png'));
        const enter = new DragEvent('dragenter', { dataTransfer: transfer, bubbles: true, composed: true });
        document.querySelector('svc-uploader')!.dispatchEvent(enter);
      }),
  },
  'avatar-invalid': { attributes: { ...avatar, required: true }, act: reportValidity },
  'avatar-uploading': { attributes: avatar, files: photos.slice(0, 1), storage: 'partly' },
  'avatar-square-uploading': { attributes: { ...avatar, shape: 'square' }, files: photos.slice(1, 2), storage: 'partly' },
  'avatar-waiting': { attributes: avatar, files: photos.slice(0, 1), storage: 'away' },
  'avatar-done': { attributes: avatar, files: photos.slice(2, 3), storage: 'store' },
  'avatar-hover': {
    attributes: { ...avatar, shape: 'square' },
    files: photos.slice(2, 3),
    storage: 'store',
    act: (page) => page.locator('svc-uploader .portrait').hover(),
  },
  'avatar-failed': { attributes: avatar, files: photos.slice(3, 4), storage: 'damage' },
  'avatar-rejected': { attributes: { ...avatar, 'max-size': '1MB' }, files: documents.slice(0, 1), storage: 'store' },
  'avatar-readonly': { attributes: { ...avatar, readonly: true }, files: photos.slice(2, 3), storage: 'store' },
  'avatar-disabled': { attributes: { ...avatar, disabled: true } },
  'avatar-manual': { attributes: { ...avatar, manual: true }, files: photos.slice(2, 3), storage: 'store' },
  'avatar-rtl': { attributes: { ...avatar, locale: 'ar' }, files: photos.slice(0, 1), storage: 'partly' },
  'avatar-de': { attributes: { ...avatar, locale: 'de' }, files: photos.slice(0, 1), storage: 'partly' },
  'grid-rtl': { attributes: { ...grid, locale: 'ar', reorderable: true }, files: all, storage: 'mixed' },
  'grid-de': { attributes: { ...grid, locale: 'de', reorderable: true }, files: all, storage: 'mixed' },
};
