import type { Page } from 'playwright-core';
import type { Scene } from './scene.js';

const photos = ['Harbour at dawn.jpg', 'IMG_2041.jpg'].map((name) => ({ name, size: 0, type: 'image/jpeg' }));
const files = [...photos, { name: 'Quarterly report with a rather long name, final version.pdf', size: 4_200_000 }];
const list = { multiple: true, label: 'Photos', manual: true };
const fields = JSON.stringify([
  { name: 'caption', label: 'Caption', required: true },
  { name: 'kind', label: 'Kind of document', options: ['Invoice', 'Report', 'Photo'] },
]);

const press = (selector: string) => (page: Page) => page.locator(`svc-uploader ${selector}`).first().click();
const editor = { files, height: 760, act: press('[part=edit-button]') };

/** Presses Upload while a field is empty. */
const uploadUnfilled = async (page: Page) => {
  await page.locator('svc-uploader .primary').first().click();
};

/** Scenes of the editor, the menu of sources, and fields of each file. */
export const dialogScenes: Record<string, Scene> = {
  editable: { attributes: { ...list, editable: true }, files },
  editor: { attributes: { ...list, editable: true }, ...editor },
  'editor-ratios': { attributes: { ...list, editable: true, 'crop-ratio': 'free, 1:1, 16:9' }, ...editor },
  'editor-de': { attributes: { ...list, editable: true, locale: 'de' }, ...editor },
  'editor-el': { attributes: { ...list, editable: true, locale: 'el' }, ...editor },
  'editor-rtl': { attributes: { ...list, editable: true, locale: 'ar' }, ...editor },
  'editor-grid': { attributes: { ...list, appearance: 'grid', editable: true }, files },
  'sources-menu': {
    attributes: { multiple: true, label: 'Attachments', sources: 'device camera screen microphone' },
    height: 560,
    act: press('.pick'),
  },
  'sources-menu-de': {
    attributes: { multiple: true, locale: 'de', sources: 'device camera screen microphone' },
    height: 560,
    act: press('.pick'),
  },
  'fields-list': { attributes: { multiple: true, label: 'Documents', fields }, files },
  'fields-list-rtl': { attributes: { multiple: true, locale: 'ar', fields }, files },
  'fields-missing': { attributes: { multiple: true, label: 'Documents', fields }, files, act: uploadUnfilled },
};
