import { readFile, readdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { SvcUploader } from '../../src/element/svc-uploader.js';
import { UploadTotals } from '../../src/queue/upload-totals.js';
import { USER_INVALID } from '../../src/element/form/validity-reporter.js';
import { customStates } from '../../src/element/custom-states.js';
import { customElements } from '../../scripts/docs/manifest/custom-elements.js';
import { eventTypes } from '../../scripts/docs/manifest/analyze.js';
import { webTypes } from '../../scripts/docs/manifest/editor-data.js';
import { frameworkTypes } from '../../scripts/docs/manifest/framework-types.js';
import { readModel } from '../../scripts/docs/manifest/model.js';

const model = await readModel();
const names = (all: readonly { name: string }[]) => all.map(({ name }) => name).sort();

/** Every match in the files of a folder, once each. */
async function found(folder: string, pattern: RegExp): Promise<string[]> {
  const files = await readdir(folder, { recursive: true });
  const texts = await Promise.all(files.filter((f) => f.endsWith('.ts')).map((f) => readFile(`${folder}/${f}`, 'utf8')));
  return [...new Set(texts.flatMap((text) => [...text.matchAll(pattern)].map((match) => match[1]!)))].sort();
}

describe("the element's manifest", () => {
  it('contains every observed attribute, each with a description', () => {
    expect(names(model.attributes)).toEqual([...SvcUploader.observedAttributes].sort());
    for (const { name, description } of [...model.attributes, ...model.properties, ...model.methods])
      expect(description, name).not.toBe('');
  });

  it('contains every state', () => {
    const states = customStates({ dragging: false, totals: new UploadTotals(), paused: false, online: true, maxFiles: null });
    expect(names(model.states)).toEqual([...Object.keys(states), USER_INVALID].sort());
  });

  it('contains every own event with its type', async () => {
    const types = await eventTypes();
    expect(names(model.events.filter(({ name }) => name.startsWith('svc-')))).toEqual([...types.keys()].sort());
    expect(model.events.find(({ name }) => name === 'svc-upload-success')?.type).toBe(
      'CustomEvent<{ id: string; file: File | null; record: FileRecord; fields: Readonly<Record<string, string>>; }>',
    );
  });

  it('contains every custom property that a style reads', async () => {
    expect(names(model.cssProperties)).toEqual(await found('src/element', /var\((--svc-uploader-[a-z-]+)/g));
  });

  it('contains every rendered part', async () => {
    const rendered = (await found('src/element', /\bpart="([a-z -]+)"/g)).flatMap((one) => one.split(' '));
    for (const part of rendered) expect(names(model.parts)).toContain(part);
  });
});

describe('files generated from the manifest', () => {
  it('leave out private members', () => {
    const text = JSON.stringify(customElements(model));
    for (const inner of ['announcer', 'scheduleRender', 'formResetCallback', 'internals', '#'])
      expect(text).not.toContain(`"${inner}`);
  });

  it('list the values of an attribute', () => {
    expect(model.attributes.find(({ name }) => name === 'appearance')?.values).toEqual([
      'dropzone',
      'grid',
      'inline',
      'button',
      'avatar',
    ]);
    expect(JSON.stringify(webTypes(model, '1.0.0'))).toContain(`"type":["'dropzone'","'grid'","'inline'","'button'","'avatar'"]`);
  });

  it('declare every attribute and property for frameworks', () => {
    const props = frameworkTypes(model)['props.d.ts']!;
    for (const { name } of model.attributes) expect(props).toMatch(new RegExp(`^  '?${name}'?\\?:`, 'm'));
    expect(props).toContain(`tokenProvider?: SvcUploader['tokenProvider'] | undefined;`);
    expect(props).not.toContain('validity?');
  });
});
