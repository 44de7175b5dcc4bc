import { choose, counter } from './widget.js';
import type { Widget } from './widget.js';

// Each page loads only the widget that it measures. FilePond, for example, runs code in every frame of its page.

const SINK = '/sink';
/** Every widget gets as many connections as a browser opens to one host. */
const AT_ONCE = 6;

/** @param script the built file that pages load */
const ours = (name: string, script: string): Widget => ({
  name,
  async mount(root, { upload }) {
    await import(/* @vite-ignore */ script);
    const element = document.createElement('svc-uploader');
    Object.assign(element, { multiple: true, manual: !upload, tokenProvider: grant });
    const done = counter();
    element.addEventListener('svc-upload-success', () => done.hit());
    root.append(element);
    await element.updateComplete;
    return { add: (files) => element.addFiles(files), listed: () => element.uploads.length, stored: done.reached };
  },
});

const grant = async () => ({
  token: 'svcup_bench',
  url: location.origin,
  expires_at: new Date(Date.now() + 3_600_000).toISOString(),
  max_uses: 100,
  max_size: null,
  allowed_extensions: null,
});

const dashboard: Widget = {
  name: 'Uppy Dashboard',
  async mount(root, { upload }) {
    const [{ default: Uppy }, { default: Dashboard }, { default: XHRUpload }] = await Promise.all([
      import('@uppy/core'),
      import('@uppy/dashboard'),
      import('@uppy/xhr-upload'),
    ]);
    const done = counter();
    const uppy = new Uppy({ autoProceed: upload })
      .use(Dashboard, { inline: true, target: root })
      .use(XHRUpload, { endpoint: SINK, limit: AT_ONCE })
      .on('upload-success', () => done.hit());
    return {
      add: (files) => uppy.addFiles(files.map((data) => ({ name: data.name, type: data.type, data, source: 'bench' }))),
      listed: () => uppy.getFiles().length,
      stored: done.reached,
    };
  },
};

const filepond: Widget = {
  name: 'FilePond',
  async mount(root, { upload }) {
    const FilePond = await import('filepond');
    const done = counter();
    const pond = FilePond.create(root, {
      allowMultiple: true,
      server: SINK,
      instantUpload: upload,
      maxParallelUploads: AT_ONCE,
      // By default it adds one file to the list every 75 ms.
      itemInsertInterval: 0,
      onprocessfile: () => done.hit(),
    });
    return { add: (files) => void pond.addFiles(files), listed: () => pond.getFiles().length, stored: done.reached };
  },
};

const dropzone: Widget = {
  name: 'Dropzone',
  async mount(root, { upload }) {
    const { Dropzone } = await import('dropzone');
    const done = counter();
    root.classList.add('dropzone');
    const zone = new Dropzone(root, {
      url: SINK,
      autoProcessQueue: upload,
      parallelUploads: AT_ONCE,
      maxFilesize: null,
      createImageThumbnails: false,
    } as never);
    zone.on('success', () => done.hit());
    return {
      add: (files) => files.forEach((file) => zone.addFile(file as never)),
      listed: () => zone.files.length,
      stored: done.reached,
    };
  },
};

const vaadin: Widget = {
  name: 'vaadin-upload',
  async mount(root, { upload }) {
    await import('@vaadin/upload');
    const done = counter();
    const element = document.createElement('vaadin-upload');
    Object.assign(element, { target: SINK, noAuto: !upload, maxConcurrentUploads: AT_ONCE });
    element.addEventListener('upload-success', () => done.hit());
    root.append(element);
    await new Promise(requestAnimationFrame);
    const input = [element, element.shadowRoot].flatMap((at) => [
      ...(at?.querySelectorAll<HTMLInputElement>('input[type=file]') ?? []),
    ])[0]!;
    return { add: (files) => choose(input, files), listed: () => element.files.length, stored: done.reached };
  },
};

const uploadcare: Widget = {
  name: 'Uploadcare',
  async mount(root) {
    const UC = await import('@uploadcare/file-uploader');
    UC.defineComponents(UC);
    root.innerHTML = `<uc-config ctx-name="bench" pubkey="demopublickey" multiple-max="100000" confirm-upload="true"></uc-config>
      <uc-file-uploader-inline ctx-name="bench"></uc-file-uploader-inline><uc-upload-ctx-provider ctx-name="bench"></uc-upload-ctx-provider>`;
    await new Promise((resolve) => setTimeout(resolve, 500));
    const provider = root.querySelector('uc-upload-ctx-provider') as unknown as {
      getAPI(): { addFileFromObject(file: File): void };
    };
    const api = provider.getAPI();
    const listed = counter();
    (provider as unknown as EventTarget).addEventListener('file-added', () => listed.hit());
    return { add: (files) => files.forEach((file) => api.addFileFromObject(file)), listed: listed.count };
  },
};

/** One request for each file and no list, as a page without a library does it. */
const rawXhr: Widget = {
  name: 'raw XHR',
  async mount() {
    const done = counter();
    const waiting: File[] = [];
    let active = 0;
    const next = () => {
      while (active < AT_ONCE && waiting.length > 0) {
        const request = new XMLHttpRequest();
        request.open('POST', SINK);
        request.addEventListener('load', () => {
          active--;
          done.hit();
          next();
        });
        active++;
        request.send(waiting.shift());
      }
    };
    return {
      add(files) {
        waiting.push(...files);
        next();
      },
      listed: () => waiting.length + active + done.count(),
      stored: done.reached,
    };
  },
};

export const WIDGETS: Widget[] = [
  ours('svc-uploader', '/dist/svc-uploader.js'),
  ours('svc-uploader before', '/before/svc-uploader.js'),
  dashboard,
  dropzone,
  vaadin,
  filepond,
  uploadcare,
  rawXhr,
];
