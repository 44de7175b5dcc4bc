import { byId } from '../by-id.js';
import { codeFor } from './framework-code.js';
import type { Attributes, Framework } from './framework-code.js';

const DEMO_TOKEN_ENDPOINT = '/upload-token?for=playground';

/** Replaces the token endpoint of the demo and the visitor's token by placeholders. */
function withoutPrivateValues(attributes: Attributes): Attributes {
  const copy = { ...attributes };
  if (copy['token-endpoint'] === DEMO_TOKEN_ENDPOINT) copy['token-endpoint'] = '/upload-token';
  if (copy['token'] !== undefined) copy['token'] = 'svcup_…';
  return copy;
}

/** Shows the code for the chosen framework. */
export function showCodeSample(frameworks: HTMLElement, attributes: Attributes, css: string): void {
  const framework = frameworks.querySelector<HTMLInputElement>(':checked')!.value as Framework;
  const [main, second] = codeFor(framework, withoutPrivateValues(attributes), css);
  byId('code-name').textContent = main!.name;
  byId('code').textContent = main!.text;
  byId('second-code').hidden = second === undefined;
  byId('second-code-name').textContent = second?.name ?? '';
  byId('second-code-text').textContent = second?.text ?? '';
  byId('needs-html').hidden = framework !== 'html';
  byId('needs-npm').hidden = framework === 'html';
}
