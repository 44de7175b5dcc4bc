import { SvcUploader } from './svc-uploader.js';

/** Asks a browser (a server has no styles) for the youngest of what the element is made of. Where it is missing, a native input inside `<svc-uploader>` goes on serving. */
const isSupportedBrowser = (): boolean => globalThis.CSS?.supports?.('selector(:state(a))') ?? true;

/** Defines `<svc-uploader>` unless the page already has. A function, so that no bundler takes it for something without effect. */
export function register(): void {
  if (typeof customElements === 'undefined' || customElements.get('svc-uploader')) return;
  if (isSupportedBrowser()) customElements.define('svc-uploader', SvcUploader);
  else console.warn('<svc-uploader>: this browser is too old.');
}
