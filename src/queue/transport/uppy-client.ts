import Uppy from '@uppy/core';
import XHRUpload from '@uppy/xhr-upload';
import { NO_RESPONSE, parseJson } from './response.js';
import type { ServiceResponse } from './response.js';

export interface UploadRequest {
  method: 'POST' | 'PATCH';
  url: string;
  headers: Record<string, string>;
  body: Blob;
  /** Bytes of the body that are on their way. */
  progress(loaded: number): void;
  signal: AbortSignal;
}

/** `url`: the address that answered, after redirects; '' for none. */
interface CarriedAnswer extends ServiceResponse {
  url: string;
}

interface Call extends UploadRequest {
  answer(answer: CarriedAnswer): void;
}

/** Milliseconds without a request after which Uppy goes: as it comes for bundlers, it listens to the page for as long as it lives. */
const REST_MS = 1000;

type NoMeta = Record<string, never>;
type Carried = { answer: CarriedAnswer };

const silent = { debug() {}, warn() {}, error() {} };

/** All of it read at once: the request is aborted, and forgets its answer, when Uppy lets go of the file. */
function answerOf(xhr: XMLHttpRequest | undefined): CarriedAnswer {
  if (!xhr || xhr.status === 0) return { ...NO_RESPONSE, url: '' };
  const headers = new Headers();
  for (const line of xhr.getAllResponseHeaders().split('\r\n')) {
    const colon = line.indexOf(': ');
    if (colon > 0) headers.append(line.slice(0, colon), line.slice(colon + 2));
  }
  return { status: xhr.status, body: parseJson(xhr.responseText), headers, url: xhr.responseURL };
}

/** XMLHttpRequest follows redirects by itself. An answer of another origin than the one that was asked counts as one without content. */
function withinOrigin({ url, ...answer }: CarriedAnswer, asked: string): ServiceResponse {
  if (url === '' || new URL(url).origin === new URL(asked, url).origin) return answer;
  return { ...NO_RESPONSE, status: answer.status };
}

/**
 * Carries requests over Uppy, which sees the window in flight and nothing else: its state is copied per file and event, so it
 * is given a body when it may go and loses it when it is through. Tries, delays, tokens and limits are ours, because Uppy
 * repeats every refusal, without jitter or `Retry-After`; it gets no token in `meta` (which it would send as form fields), no
 * endpoint that can reject, no asynchronous hook (which would hold its slot for ever) and no body to understand.
 */
export class UppyClient {
  #calls = new Map<string, Call>();
  #count = 0;
  #uppy: Uppy<NoMeta, Carried> | undefined;
  #rest: ReturnType<typeof setTimeout> | undefined;

  /** @returns every answer there was, refusals included; status 0 for none. @throws the signal's reason. */
  send(request: UploadRequest): Promise<ServiceResponse> {
    const uppy = (this.#uppy ??= this.#start());
    return new Promise((resolve, reject) => {
      if (request.signal.aborted) {
        reject(request.signal.reason);
        return;
      }
      // Uppy makes its id of the name; ours is unique, so that one file can be under way twice and no name reaches Uppy.
      const id = uppy.addFile({ name: `${++this.#count}`, type: 'application/octet-stream', data: request.body });
      const finish = () => {
        request.signal.removeEventListener('abort', abort);
        this.#calls.delete(id);
        uppy.removeFile(id);
        clearTimeout(this.#rest);
        this.#rest = setTimeout(() => this.#calls.size > 0 || this.destroy(), REST_MS);
      };
      const abort = () => {
        finish();
        reject(request.signal.reason);
      };
      request.signal.addEventListener('abort', abort, { once: true });
      const answer = (answer: CarriedAnswer) => {
        finish();
        resolve(withinOrigin(answer, request.url));
      };
      this.#calls.set(id, { ...request, answer });
      uppy.setFileState(id, { xhrUpload: { method: request.method, endpoint: request.url } });
      // Resolves whatever becomes of the files; each is told of by an event.
      uppy.upload().catch(() => answer({ ...NO_RESPONSE, url: '' }));
    });
  }

  destroy(): void {
    clearTimeout(this.#rest);
    this.#uppy?.destroy();
    this.#uppy = undefined;
  }

  #start(): Uppy<NoMeta, Carried> {
    const uppy = new Uppy<NoMeta, Carried>({ logger: silent, infoTimeout: 0 });
    uppy.use(XHRUpload, {
      // Each call brings its own.
      endpoint: '',
      headers: (file) => this.#calls.get(file.id)?.headers ?? {},
      formData: false,
      limit: 0,
      timeout: 0,
      shouldRetry: () => false,
      getResponseData: (xhr) => ({ answer: answerOf(xhr) }),
    });
    uppy.on('upload-progress', (file, progress) => {
      if (file && progress.bytesUploaded) this.#calls.get(file.id)?.progress(progress.bytesUploaded);
    });
    uppy.on('upload-success', (file, response) => {
      if (file && response.body) this.#calls.get(file.id)?.answer(response.body.answer);
    });
    uppy.on('upload-error', (file, _error, response) => {
      if (file) this.#calls.get(file.id)?.answer(answerOf(response as unknown as XMLHttpRequest | undefined));
    });
    return uppy;
  }
}
