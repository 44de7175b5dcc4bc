import type { SvcUploader } from '../../src/element/svc-uploader.js';
import { byId } from './by-id.js';
import { enableCopyButtons } from './copy-buttons.js';
import { showChecksumResult } from './playground/checksum-result.js';
import { showCodeSample } from './playground/code-sample.js';
import { watchPreview } from './playground/preview.js';
import { avatarPicker, documentList } from './playground/recipes.js';
import { createSampleFiles, THREE_FILES, TWELVE_FILES } from './playground/sample-files.js';
import { applyAttributes, readSettings, restoreSettings, settingsHash } from './playground/settings.js';
import { watchSimulatedNetwork } from './playground/simulated-network.js';
import { styleSheet } from './playground/themes.js';

const uploader = byId<SvcUploader>('uploader');
const settings = byId<HTMLFormElement>('settings');
const frameworks = byId('frameworks');
const previewStyle = new CSSStyleSheet();
document.adoptedStyleSheets = [previewStyle];

const LOCALES =
  'en-US pt-BR pt-PT es-ES ar cs da de el fi fr he hi hu id it ja ko nb nl pl ro ru sv th tr uk vi zh-Hans zh-Hant'.split(' ');
/** Returns the name of a language in that language. */
const nativeName = (tag: string): string => new Intl.DisplayNames([tag], { type: 'language' }).of(tag) ?? tag;
byId('setting-locale').append(...LOCALES.map((tag) => new Option(nativeName(tag), tag)));

const showFormState = watchPreview(byId<HTMLFormElement>('preview'), uploader);

function show(): void {
  const { attributes, theme, properties } = readSettings(settings);
  applyAttributes(uploader, settings, attributes);
  previewStyle.replaceSync(styleSheet('#uploader', theme, properties));
  showCodeSample(frameworks, attributes, styleSheet('svc-uploader', theme, properties));
  void showFormState();
}

function onSettingsChange(): void {
  show();
  history.replaceState(null, '', `#${settingsHash(settings)}`);
}

restoreSettings(settings, location.hash);
show();
settings.addEventListener('input', onSettingsChange);
// The browser resets the controls after this event.
settings.addEventListener('reset', () => setTimeout(onSettingsChange));
frameworks.addEventListener('change', show);
// On a phone, only the first group of settings is open.
if (matchMedia('(width < 60rem)').matches)
  for (const group of [...settings.querySelectorAll('details')].slice(1)) group.open = false;

byId('preview-samples').addEventListener('click', async () => uploader.addFiles(await createSampleFiles(THREE_FILES)));

const networkUploader = byId<SvcUploader>('network-uploader');
byId('network-samples').addEventListener('click', async () => {
  const files = await createSampleFiles(TWELVE_FILES);
  networkUploader.clear();
  await networkUploader.addFiles(files);
});
showChecksumResult(networkUploader, byId('checksum-result'));
watchSimulatedNetwork(byId<HTMLFormElement>('modes'), byId('requests')).catch(console.error);

avatarPicker(byId<SvcUploader>('avatar'), byId<HTMLImageElement>('avatar-image'), byId('avatar-empty'));
documentList(byId<SvcUploader>('documents'), byId('documents-list'));
enableCopyButtons();
