import { expect } from 'chai';
import type { SvcUploader } from '../../../src/element/index.js';
import type { TokenGrant } from '../../../src/protocol/types.js';
import { BlobError } from '../../../src/element/index.js';
import { createFile, once, waitForPaint, removeAll, findRows, readTexts, createUploader } from './fixture.js';

const UNKNOWN = 'This file was not uploaded. Try again.';
const NO_PERMISSION = 'Uploads aren’t available right now. Try again.';

/** Uploads one file that fails, and then another choice, which must still be drawn. @returns the failed row's words */
async function readFailureText(el: SvcUploader): Promise<string> {
  const failed = once(el, 'svc-upload-error');
  await el.addFiles([createFile('a.bin', 400_000)]);
  await failed;
  await waitForPaint(el);
  const errors = readTexts(el, 'error');
  el.clear();
  await el.addFiles([createFile('b.bin', 400_000)]);
  await waitForPaint(el);
  expect(findRows(el), 'rows of the next choice').to.have.length(1);
  expect(errors).to.have.length(1);
  return errors[0]!;
}

describe('a hostile response', () => {
  afterEach(removeAll);

  for (const code of ['constructor', 'toString', 'valueOf', 'hasOwnProperty', '__proto__'])
    it(`with the code ${code} is an unknown error`, async () => {
      expect(await readFailureText(await createUploader({}, { storage: `refuse/${code}/400` }))).to.equal(UNKNOWN);
    });

  for (const details of [
    '{"allowed_extensions":[{"toString":1}]}',
    '{"allowed_extensions":"pdf"}',
    '{"__proto__":{"part":"x"}}',
    '[1]',
    'null',
    '7',
  ])
    it(`with the details ${details} is reported like any other`, async () => {
      const body = encodeURIComponent(`{"code":"BLOCKED_FILE_TYPE","message":{"toString":1},"details":${details}}`);
      expect(await readFailureText(await createUploader({}, { storage: `say/415/${body}` }))).to.equal(
        'This type of file is not accepted. Choose another file.',
      );
    });
});

describe('the message of a token route', () => {
  afterEach(removeAll);

  for (const message of ['null', '""', '" "', '{"toString":1}', '["no"]', '7'])
    it(`is replaced by our own if it is ${message}`, async () => {
      const body = encodeURIComponent(`{"code":"TOKEN_REFUSED","message":${message}}`);
      const el = await createUploader({ token: false, 'token-endpoint': `/storage/say/403/${body}` });
      expect(await readFailureText(el)).to.equal(NO_PERMISSION);
    });

  it('is replaced by our own if it is missing', async () => {
    const body = encodeURIComponent('{"code":"TOKEN_REFUSED"}');
    const el = await createUploader({ token: false, 'token-endpoint': `/storage/say/403/${body}` });
    expect(await readFailureText(el)).to.equal(NO_PERMISSION);
  });

  it("is replaced by our own if the page's provider throws an error without a usable message", async () => {
    for (const error of [
      new BlobError('TOKEN_REFUSED', null as unknown as string),
      Object.assign(new Error('no'), { name: 'BlobError' }),
      Object.assign(new Error('no'), { name: 'BlobError', code: 'toString', status: 403 }),
    ]) {
      const el = await createUploader({ token: false });
      el.tokenProvider = () => Promise.reject(error);
      expect(await readFailureText(el)).to.equal(NO_PERMISSION);
    }
  });

  it('is shortened if it has 2 MB', async () => {
    const el = await createUploader({ token: false });
    el.tokenProvider = () => Promise.reject(new BlobError('TOKEN_REFUSED', 'Your plan is full. '.repeat(110_000)));
    const text = await readFailureText(el);
    expect(text).to.match(/^Your plan is full\. .*…$/);
    expect(text.length).to.be.at.most(300);
  });

  it('shows no control characters and none that reorder text', async () => {
    const el = await createUploader({ token: false });
    el.tokenProvider = () => Promise.reject(new BlobError('TOKEN_REFUSED', 'photo\u202egnp.exe\u0000 is\u2028not\nallowed'));
    expect(await readFailureText(el)).to.equal('photo gnp.exe  is not allowed');
  });

  it('shows no direction marks and no lone surrogates', async () => {
    const el = await createUploader({ token: false });
    el.tokenProvider = () => Promise.reject(new BlobError('TOKEN_REFUSED', `a\u200fb\u200ec\u061cd${'😀'.repeat(400)}`));
    const text = await readFailureText(el);
    expect(text).to.match(/^abcd(😀)+…$/u);
    expect(text.length).to.be.at.most(300);
  });

  for (const uses of [-3, 0, 0.5])
    it(`is not used for a token with ${uses} uses`, async () => {
      const el = await createUploader({ token: false });
      el.tokenProvider = async () => ({ token: 'svcup_1', url: location.origin, max_uses: uses }) as TokenGrant;
      expect(await readFailureText(el)).to.equal(NO_PERMISSION);
    });
});
