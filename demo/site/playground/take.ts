import { byId } from '../by-id.js';
import { codeFor } from './code.js';
import type { Attributes, Flavour } from './code.js';

const OWN_ENDPOINT = '/upload-token?for=playground';

/** The page's own addresses and somebody's token mean nothing elsewhere. */
function forOthers(attributes: Attributes): Attributes {
  const others = { ...attributes };
  if (others['token-endpoint'] === OWN_ENDPOINT) others['token-endpoint'] = '/upload-token';
  if (others['token'] !== undefined) others['token'] = 'svcup_…';
  return others;
}

/** Writes the code to take along into its panes, in the language that is chosen. */
export function showCode(flavours: HTMLElement, attributes: Attributes, css: string): void {
  const flavour = flavours.querySelector<HTMLInputElement>(':checked')!.value as Flavour;
  const [main, beside] = codeFor(flavour, forOthers(attributes), css);
  byId('code-name').textContent = main!.name;
  byId('code').textContent = main!.text;
  byId('code-beside').hidden = beside === undefined;
  byId('code-beside-name').textContent = beside?.name ?? '';
  byId('code-beside-text').textContent = beside?.text ?? '';
  byId('needs-html').hidden = flavour !== 'html';
  byId('needs-npm').hidden = flavour === 'html';
}
