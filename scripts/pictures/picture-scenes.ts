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
const grid = { appearance: 'grid', multiple: true, label: 'Photos' };

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
  'grid-rtl': { attributes: { ...grid, locale: 'ar', reorderable: true }, files: all, storage: 'mixed' },
  'grid-de': { attributes: { ...grid, locale: 'de', reorderable: true }, files: all, storage: 'mixed' },
};
