import Uppy from '@uppy/core';
import XHRUpload from '@uppy/xhr-upload';
import { NO_RESPONSE, parseJson } from './response.js';
import type { ServiceResponse } from './response.js';

/** A request with a body. */
export interface UploadRequest {
  method: 'POST' | 'PATCH';
  url: string;
  headers: Record<string, string>;
  body: Blob;
  /** Reports how many bytes of the body were sent. */
  progress(loaded: number): void;
  signal: AbortSignal;
}

interface XhrResponse extends ServiceResponse {
  /** The address that responded, after redirects; '' without a response. */
  url: string;
}

interface PendingRequest extends UploadRequest {
  onResponse(response: XhrResponse): void;
}

/** Milliseconds without a request after which Uppy is destroyed. Otherwise it would listen to the page forever. */
const IDLE_MS = 1000;

type NoMeta = Record<string, never>;
type Body = { response: XhrResponse };

const silentLogger = { debug() {}, warn() {}, error() {} };

/** Reads the whole response at once. Uppy aborts the request when the file is removed, which deletes the response. */
function readResponse(xhr: XMLHttpRequest | undefined): XhrResponse {
  if (!xhr || xhr.status === 0) return { ...NO_RESPONSE, url: '' };
  const headers = new Headers();
  for (const line of xhr.getAllResponseHeaders().split('\r\n')) {
    const colon = line.indexOf(': ');
    if (colon > 0) headers.append(line.slice(0, colon), line.slice(colon + 2));
  }
  return { status: xhr.status, body: parseJson(xhr.responseText), headers, url: xhr.responseURL };
}

/** Drops the content of a response from another origin. XMLHttpRequest follows redirects by itself. */
function dropForeignContent({ url, ...response }: XhrResponse, requested: string): ServiceResponse {
  if (url === '' || new URL(url).origin === new URL(requested, url).origin) return response;
  return { ...NO_RESPONSE, status: response.status };
}

/**
 * Sends requests with Uppy. Uppy copies its state with each file and event, so it gets a body when its request starts and loses it when
 * the request ends. The queue does everything else: Uppy would retry refusals without jitter or `Retry-After`, send tokens in `meta` as
 * form fields, and keep a request forever whose asynchronous hook rejects.
 */
export class UppyClient {
  #pending = new Map<string, PendingRequest>();
  #count = 0;
  #uppy: Uppy<NoMeta, Body> | undefined;
  #idleTimer: ReturnType<typeof setTimeout> | undefined;

  /** Sends a request. @returns any response, also an error; status 0 without one @throws the signal's reason */
  send(request: UploadRequest): Promise<ServiceResponse> {
    const uppy = (this.#uppy ??= this.#start());
    return new Promise((resolve, reject) => {
      if (request.signal.aborted) {
        reject(request.signal.reason);
        return;
      }
      // Uppy derives its id from the name. A number as the name is unique, so the same file can be sent twice.
      const id = uppy.addFile({ name: `${++this.#count}`, type: 'application/octet-stream', data: request.body });
      const finish = () => {
        request.signal.removeEventListener('abort', abort);
        this.#pending.delete(id);
        uppy.removeFile(id);
        clearTimeout(this.#idleTimer);
        this.#idleTimer = setTimeout(() => this.#pending.size > 0 || this.destroy(), IDLE_MS);
      };
      const abort = () => {
        finish();
        reject(request.signal.reason);
      };
      request.signal.addEventListener('abort', abort, { once: true });
      const onResponse = (response: XhrResponse) => {
        finish();
        resolve(dropForeignContent(response, request.url));
      };
      this.#pending.set(id, { ...request, onResponse });
      uppy.setFileState(id, { xhrUpload: { method: request.method, endpoint: request.url } });
      // It resolves whether files succeed or fail. Events report each file.
      uppy.upload().catch(() => onResponse({ ...NO_RESPONSE, url: '' }));
    });
  }

  destroy(): void {
    clearTimeout(this.#idleTimer);
    this.#uppy?.destroy();
    this.#uppy = undefined;
  }

  #start(): Uppy<NoMeta, Body> {
    const uppy = new Uppy<NoMeta, Body>({ logger: silentLogger, infoTimeout: 0 });
    uppy.use(XHRUpload, {
      // Each file has its own endpoint.
      endpoint: '',
      headers: (file) => this.#pending.get(file.id)?.headers ?? {},
      formData: false,
      limit: 0,
      timeout: 0,
      shouldRetry: () => false,
      getResponseData: (xhr) => ({ response: readResponse(xhr) }),
    });
    uppy.on('upload-progress', (file, progress) => {
      if (file && progress.bytesUploaded) this.#pending.get(file.id)?.progress(progress.bytesUploaded);
    });
    uppy.on('upload-success', (file, response) => {
      if (file && response.body) this.#pending.get(file.id)?.onResponse(response.body.response);
    });
    uppy.on('upload-error', (file, _error, response) => {
      if (file) this.#pending.get(file.id)?.onResponse(readResponse(response as unknown as XMLHttpRequest | undefined));
    });
    return uppy;
  }
}
