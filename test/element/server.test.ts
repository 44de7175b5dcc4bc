import { describe, expect, it } from 'vitest';
import { SvcUploader } from '../../src/element/svc-uploader.js';

describe('the element on a server', () => {
  it('is imported and registered without a window', async () => {
    expect(typeof globalThis.window).toBe('undefined');
    await import('../../src/element/index.js');
    expect(customElements.get('svc-uploader')).toBe(SvcUploader);
  });

  it('is created and rendered', () => {
    const element = new SvcUploader() as SvcUploader & { willUpdate(changed: Map<string, unknown>): void; render(): unknown };
    element.setAttribute('name', 'doc');
    element.multiple = true;
    element.maxSize = '10MB';
    element.willUpdate(new Map());
    expect(element.render()).toHaveProperty('strings');
    expect(element.name).toBe('doc');
    expect(element.files).toEqual([]);
  });
});
