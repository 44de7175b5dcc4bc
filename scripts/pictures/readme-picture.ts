import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { chromium } from 'playwright-core';
import { startDiscardingServer } from '../../test/support/discarding-server.js';
import type { SvcUploader } from '../../src/element/svc-uploader.js';
import { build } from '../build.js';
import { CHROMIUM_FLAGS, findChromium } from '../../test/support/chromium.js';
import { startFaultProxy } from '../../fault-proxy/fault-proxy.js';

// Makes the picture of the README: the built element during real uploads over a slow network.

const PAGE = `<!doctype html><html lang="en"><meta charset="utf-8">
<script type="module" src="/dist/svc-uploader.js"></script>
<style>
  body { display: grid; grid-template-columns: 1.15fr 1fr; margin: 0; height: 100vh; font: 16px/1.5 system-ui, sans-serif }
  section { display: grid; place-content: center; grid-template-columns: minmax(0, 30rem) }
  .light { color-scheme: light; background: #f4f2ee; color: #1d1c1a; accent-color: #0f6e5c }
  .dark { color-scheme: dark; background: #14161b; color: #eceae6; accent-color: #8fb4ff; grid-template-columns: minmax(0, 23rem) }
  article { padding: 28px; border-radius: 14px; background: #fff; box-shadow: 0 1px 2px #0001, 0 12px 40px #0001 }
  .dark article { background: #1c1f26; box-shadow: 0 0 0 1px #fff1 }
</style>
<section class="light"><article><svc-uploader id="photos" label="Photos of the flat" multiple reorderable concurrency="2"
  allowed-extensions="jpg, png, heic" max-size="100MB"></svc-uploader></article></section>
<section class="dark"><article><svc-uploader id="papers" label="Papers" multiple max-size="20MB" max-files="5"
  allowed-extensions="pdf, docx"></svc-uploader></article></section></html>`;

await build({ ifStale: true });
const folder = await mkdtemp(join(tmpdir(), 'svc-picture-'));
await writeFile(join(folder, 'index.html'), PAGE);
const server = await startDiscardingServer({ page: folder, dist: resolve('dist') });
const network = await startFaultProxy(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
network.on({ method: 'POST', path: '/v1/uploads', fault: { bytesPerSecond: 6_000_000 } });
const browser = await chromium.launch({ executablePath: await findChromium(), args: CHROMIUM_FLAGS });
try {
  const page = await browser.newPage({ viewport: { width: 1200, height: 600 }, deviceScaleFactor: 2 });
  await page.goto(network.url);
  await page.evaluate(async () => {
    await customElements.whenDefined('svc-uploader');
    const [photos, papers] = document.querySelectorAll<SvcUploader>('svc-uploader');
    for (const el of [photos!, papers!]) Object.assign(el, { token: 'svcup_picture', endpoint: location.origin });
    const names = ['Balcony, morning.jpg', 'Kitchen.jpg', 'Living room towards the garden.jpg', 'Bath.jpg'];
    const pictures = names.map(async (name, index) => {
      const canvas = new OffscreenCanvas(400, 400);
      const context = canvas.getContext('2d')!;
      const sky = context.createLinearGradient(0, 0, 0, 400);
      sky.addColorStop(0, ['#ffd9a8', '#bfe3ff', '#d8f0c8', '#e6d9ff'][index]!);
      sky.addColorStop(1, ['#f08a6b', '#5b94d6', '#5a9a6a', '#8a6fc9'][index]!);
      context.fillStyle = sky;
      context.fillRect(0, 0, 400, 400);
      context.fillStyle = '#fff8';
      context.beginPath();
      context.arc(280, 120, 50, 0, 7);
      context.fill();
      context.fillStyle = '#0003';
      context.beginPath();
      context.moveTo(0, 400);
      context.bezierCurveTo(80, 180, 160, 180, 240, 300);
      context.bezierCurveTo(280, 250, 340, 250, 400, 330);
      context.lineTo(400, 400);
      context.fill();
      const picture = await canvas.convertToBlob({ type: 'image/jpeg' });
      // Zeros after the picture give the file a realistic size.
      const size = [2.1, 3.4, 38, 33][index]! * 1e6;
      return new File([picture, new Uint8Array(size)], name, { type: 'image/jpeg' });
    });
    await photos!.addFiles(await Promise.all(pictures));
    await papers!.addFiles([
      new File([new Uint8Array(412_000)], 'Application, signed.pdf'),
      new File([new Uint8Array(88_000)], 'References.docx'),
      new File([new Uint8Array(21_400_000)], 'Bank statements 2026.pdf'),
    ]);
  });
  await page.waitForTimeout(4200);
  await page.screenshot({ path: 'docs/uploader.png' });
} finally {
  await browser.close();
  await network.close();
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true, force: true });
}
