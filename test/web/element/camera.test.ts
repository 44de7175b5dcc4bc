// Every browser: engines implement capture inputs differently.
import { expect } from 'chai';
import type { SvcUploader } from '../../../src/element/index.js';
import { removeAll, until, createUploader } from './fixture.js';

const listStates = (el: SvcUploader) => el.uploads.map(({ name, state }) => `${name} ${state.status}`);
const waitForStatus = (el: SvcUploader, status: string) => until(() => el.uploads[0]?.state.status === status);

describe('photos of a phone', () => {
  afterEach(removeAll);

  /** Creates photos as a camera does: always with the same name, here also with the same size. */
  const shot = (at: number, type = 'image/jpeg') =>
    new File([new Uint8Array(2000).fill(at)], `image.${type === 'image/heic' ? 'heic' : 'jpg'}`, {
      type,
      lastModified: 1e12 + at,
    });
  const choose = (el: SvcUploader, chosen: File) => {
    const input = el.shadowRoot!.querySelector('input')!;
    const transfer = new DataTransfer();
    transfer.items.add(chosen);
    input.files = transfer.files;
    input.dispatchEvent(new Event('change'));
  };

  it('come from the camera that the page names', async () => {
    const capture = (el: SvcUploader) => el.shadowRoot!.querySelector('input')!.getAttribute('capture');
    expect(capture(await createUploader())).to.equal(null);
    expect(capture(await createUploader({ capture: 'environment', accept: 'image/*' }))).to.equal('environment');
    expect(capture(await createUploader({ capture: true })), 'any').to.equal('');
  });

  for (const type of ['image/jpeg', 'image/heic'])
    for (const preparing of [false, true])
      it(`are all added although they have the same name: ${type}${preparing ? ', prepared first' : ''}`, async () => {
        const el = await createUploader({
          multiple: true,
          capture: 'environment',
          accept: 'image/*',
          'strip-location': preparing,
        });
        for (const at of [1, 2, 3]) {
          choose(el, shot(at, type));
          await until(() => el.uploads.length === at);
        }
        await until(() => el.uploads.every(({ state }) => state.status === 'done'));
        const name = shot(1, type).name;
        expect(listStates(el)).to.deep.equal([`${name} done`, `${name} done`, `${name} done`]);
        expect(el.values.length).to.equal(3);
      });

  it('replace one another if only one file is accepted', async () => {
    const el = await createUploader({ capture: 'user', accept: 'image/*' });
    choose(el, shot(1));
    await waitForStatus(el, 'done');
    const first = el.uploads[0]!.id;
    choose(el, shot(2));
    await until(() => el.uploads[0]!.id !== first);
    await waitForStatus(el, 'done');
    expect(listStates(el)).to.deep.equal(['image.jpg done']);
  });
});
