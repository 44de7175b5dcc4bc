import { SvcUploader } from './element.js';

/** The youngest of what the element is made of. Where it is missing, a native input inside `<svc-uploader>` goes on serving. */
const canRun = (): boolean => globalThis.CSS?.supports?.('selector(:state(a))') ?? false;

/** Defines `<svc-uploader>` unless the page already has. A function, so that no bundler takes it for something without effect. */
export function register(): void {
  if (typeof customElements !== 'undefined' && canRun() && !customElements.get('svc-uploader'))
    customElements.define('svc-uploader', SvcUploader);
}
