import { enableCopying } from './copy.js';
import { codeFor, FILE_NAMES } from './playground/code.js';
import type { Flavour } from './playground/code.js';
import { applyKnobs, hashOf, readKnobs, restoreKnobs } from './playground/knobs.js';
import { watchLine } from './playground/line.js';
import { avatarPicker, documentList } from './playground/recipes.js';

const byId = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;

const uploader = byId('uploader');
const stage = byId<HTMLFormElement>('stage');
const knobs = byId<HTMLFormElement>('knobs');
const flavours = byId('flavours');

/** Each language under its own name. */
const LOCALES = 'en-US pt-BR es-ES ar cs da de fi fr he id it ja ko nb nl pl ru sv tr uk zh-Hans zh-Hant'.split(' ');
const ownName = (tag: string): string => new Intl.DisplayNames([tag], { type: 'language' }).of(tag) ?? tag;
byId('k-locale').append(...LOCALES.map((tag) => new Option(ownName(tag), tag)));

function show(): void {
  const turned = readKnobs(knobs);
  applyKnobs(uploader, knobs, turned);
  const flavour = flavours.querySelector<HTMLInputElement>(':checked')!.value as Flavour;
  const attributes = { name: 'files', ...turned.attributes, 'token-endpoint': '/upload-token' };
  byId('code').textContent = codeFor(flavour, attributes, turned.theme);
  byId('code-name').textContent = FILE_NAMES[flavour];
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

const EVENTS = [
  'file-add',
  'file-reject',
  'upload-start',
  'upload-success',
  'upload-error',
  'upload-retry',
  'upload-stall',
  'complete',
];
for (const name of EVENTS)
  uploader.addEventListener(`svc-${name}`, (event) => {
    const { file } = (event as CustomEvent<{ file?: File | null }>).detail;
    byId('event').textContent = `svc-${name}${file ? ` ${file.name}` : ''}`;
  });
uploader.addEventListener('change', () => {
  const entries = [...new FormData(stage)].map(([name, value]) => `${name}=${String(value)}`);
  byId('value').textContent = entries.join('\n') || 'empty';
});

watchLine(byId<HTMLFormElement>('modes'), byId('monitor'));
avatarPicker(byId('avatar'), byId<HTMLImageElement>('avatar-image'), byId('avatar-empty'));
documentList(byId('documents'), byId('documents-list'), byId('documents-empty'));
enableCopying();
