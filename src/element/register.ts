import { SvcUploader } from './svc-uploader.js';

/**
 * Checks for `:state()`, the newest feature that the element needs. In an older browser, a native input inside `<svc-uploader>` keeps
 * working. A server has no `CSS` object.
 */
const isSupportedBrowser = (): boolean => globalThis.CSS?.supports?.('selector(:state(a))') ?? true;

/** Defines `<svc-uploader>` unless it is defined already. This is a function, so that bundlers keep the side effect. */
export function register(): void {
  if (typeof customElements === 'undefined' || customElements.get('svc-uploader')) return;
  if (isSupportedBrowser()) customElements.define('svc-uploader', SvcUploader);
  else console.warn('<svc-uploader>: this browser is too old. It lacks the CSS selector :state().');
}
