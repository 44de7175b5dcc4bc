import { SvcUploader } from './element.js';

/** Defines `<svc-uploader>` unless the page already has. A function, so that no bundler takes it for something without effect. */
export function register(): void {
  if (typeof customElements !== 'undefined' && !customElements.get('svc-uploader'))
    customElements.define('svc-uploader', SvcUploader);
}
