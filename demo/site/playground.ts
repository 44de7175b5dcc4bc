import type { SvcUploader } from '../../src/element/svc-uploader.js';
import { byId } from './by-id.js';
import { enableCopying } from './copy.js';
import { applyAttributes, hashOf, readKnobs, restoreKnobs } from './playground/knobs.js';
import { watchLine } from './playground/line.js';
import { styleSheet } from './playground/looks.js';
import { avatarPicker, documentList } from './playground/recipes.js';
import { sampleFiles, THREE, TWELVE } from './playground/sample-files.js';
import { watchStage } from './playground/stage.js';
import { showCode } from './playground/take.js';
import { tellVerdict } from './playground/verdict.js';

const uploader = byId<SvcUploader>('uploader');
const knobs = byId<HTMLFormElement>('knobs');
const flavours = byId('flavours');
const look = new CSSStyleSheet();
document.adoptedStyleSheets = [look];

/** Each language under its own name. */
const LOCALES = 'en-US pt-BR es-ES ar cs da de fi fr he id it ja ko nb nl pl ru sv tr uk zh-Hans zh-Hant'.split(' ');
const ownName = (tag: string): string => new Intl.DisplayNames([tag], { type: 'language' }).of(tag) ?? tag;
byId('k-locale').append(...LOCALES.map((tag) => new Option(ownName(tag), tag)));

const showState = watchStage(byId<HTMLFormElement>('stage'), uploader);

function show(): void {
  const { attributes, look: name, properties } = readKnobs(knobs);
  applyAttributes(uploader, knobs, attributes);
  look.replaceSync(styleSheet('#uploader', name, properties));
  showCode(flavours, attributes, styleSheet('svc-uploader', name, properties));
  void showState();
}

function turned(): void {
  show();
  history.replaceState(null, '', `#${hashOf(knobs)}`);
}

restoreKnobs(knobs, location.hash);
show();
knobs.addEventListener('input', turned);
knobs.addEventListener('reset', () => setTimeout(turned));
flavours.addEventListener('change', show);
// On a phone one group of knobs at a time.
if (matchMedia('(width < 60rem)').matches)
  for (const group of [...knobs.querySelectorAll('details')].slice(1)) group.open = false;

byId('stage-samples').addEventListener('click', async () => uploader.addFiles(await sampleFiles(THREE)));

const lineUploader = byId<SvcUploader>('line-uploader');
byId('line-samples').addEventListener('click', async () => {
  const files = await sampleFiles(TWELVE);
  lineUploader.clear();
  await lineUploader.addFiles(files);
});
tellVerdict(lineUploader, byId('verdict'));
watchLine(byId<HTMLFormElement>('modes'), byId('monitor')).catch(console.error);

avatarPicker(byId<SvcUploader>('avatar'), byId<HTMLImageElement>('avatar-image'), byId('avatar-empty'));
documentList(byId<SvcUploader>('documents'), byId('documents-list'));
enableCopying();
