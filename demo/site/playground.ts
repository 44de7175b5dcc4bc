import type { SvcUploader } from '../../src/uploader/element.js';
import { enableCopying } from './copy.js';
import { codeFor, FILE_NAMES } from './playground/code.js';
import type { Attributes, Flavour } from './playground/code.js';
import { applyKnobs, hashOf, readKnobs, restoreKnobs } from './playground/knobs.js';
import { watchLine } from './playground/line.js';
import { avatarPicker, documentList } from './playground/recipes.js';

const byId = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;

const uploader = byId('uploader');
const stage = byId<HTMLFormElement>('stage');
const knobs = byId<HTMLFormElement>('knobs');
const flavours = byId('flavours');

const OWN_ENDPOINT = byId<HTMLInputElement>('k-token-endpoint').defaultValue;

/** Each language under its own name. */
const LOCALES = 'en-US pt-BR es-ES ar cs da de fi fr he id it ja ko nb nl pl ru sv tr uk zh-Hans zh-Hant'.split(' ');
const ownName = (tag: string): string => new Intl.DisplayNames([tag], { type: 'language' }).of(tag) ?? tag;
byId('k-locale').append(...LOCALES.map((tag) => new Option(ownName(tag), tag)));

/** The page's own addresses and somebody's token mean nothing elsewhere. */
function forOthers(attributes: Attributes): Attributes {
  const others = { ...attributes };
  if (others['token-endpoint'] === OWN_ENDPOINT) others['token-endpoint'] = '/upload-token';
  if (others['token'] !== undefined) others['token'] = 'svcup_…';
  return others;
}

function show(): void {
  const turned = readKnobs(knobs);
  applyKnobs(uploader, knobs, turned);
  const flavour = flavours.querySelector<HTMLInputElement>(':checked')!.value as Flavour;
  byId('code').textContent = codeFor(flavour, forOthers(turned.attributes), turned.theme);
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

const formData = (): string => [...new FormData(stage)].map(([name, value]) => `${name}=${String(value)}`).join('\n');

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
const showValue = () => void (byId('value').textContent = formData() || 'empty');
uploader.addEventListener('change', showValue);
stage.addEventListener('submit', (event) => {
  // Whoever waits for files has stopped it, and sends it again.
  if (event.defaultPrevented) return;
  event.preventDefault();
  byId('sent').textContent = `Sent: ${formData() || 'nothing'}`;
});
stage.addEventListener('reset', () => {
  byId('sent').textContent = '';
  // Its controls are reset after this event.
  setTimeout(showValue);
});

watchLine(byId<HTMLFormElement>('modes'), byId('monitor'));
avatarPicker(byId<SvcUploader>('avatar'), byId<HTMLImageElement>('avatar-image'), byId('avatar-empty'));
documentList(byId<SvcUploader>('documents'), byId('documents-list'));
enableCopying();
