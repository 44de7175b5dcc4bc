import { property } from 'lit/decorators.js';
import type { TokenProvider } from '../queue/types.js';
import type { Transport } from '../protocol/transport.js';
import { FormElement } from './form/form-element.js';
import type { RawSettings } from './settings/read-settings.js';

/** Every attribute and property of `<svc-uploader>` that a page may set. What they mean is read in `settings/`. */
export abstract class UploaderAttributes extends FormElement implements RawSettings {
  readonly #defaults = new Map<PropertyKey, unknown>();

  /** Media types and endings the picker offers, as of `<input type=file>`; dropped files are held to it as well. */
  @property() accept = '';

  /** Takes more than one file. */
  @property({ type: Boolean, reflect: true }) multiple = false;

  /** Which camera a phone opens instead of its files: `user` or `environment`; without a value the one it likes. */
  @property() capture: '' | 'user' | 'environment' = '';

  /** Picks whole folders, with their files' paths. */
  @property({ type: Boolean, reflect: true }) webkitdirectory = false;

  /** Text above the element that names it. A slot of the same name takes markup. */
  @property() label = '';

  /** A line that says what may be chosen; made from the limits when it is not set. A slot of the same name takes markup. */
  @property() hint = '';

  /** `dropzone`, `inline` (one row, for dense forms) or `button`. */
  @property() appearance: 'dropzone' | 'inline' | 'button' = 'dropzone';

  /** Absolute address of Blob Storage, such as `https://blob.example.com`, without `/v1`. Not needed with a token endpoint, whose answer states it. */
  @property() endpoint = '';

  /** A short-lived upload token. Never reflected, stored or sent anywhere but to `endpoint`. */
  @property() token: string | null = null;

  /** Address on your own server that answers `POST {files, reason}` with a token. */
  @property({ attribute: 'token-endpoint' }) tokenEndpoint = '';

  /** A function that gives a token: `({files, reason, signal}) => Promise<string | SuppliedToken>`. */
  @property({ attribute: false }) tokenProvider: TokenProvider | null = null;

  /** Carries the files another way than with a token, such as `s3Transport` of `svc-uploader/s3`. */
  @property({ attribute: false }) transport: Transport | null = null;

  /** Largest file: bytes, `10MB` or `10MiB`. Can only narrow what the token allows. */
  @property({ attribute: 'max-size' }) maxSize: string | number | null = null;

  /** Endings that are taken, such as `pdf, png, tar.gz`. Can only narrow what the token allows. */
  @property({ attribute: 'allowed-extensions' }) allowedExtensions: string | readonly string[] | null = null;

  /** Most files at once; needs `multiple`. */
  @property({ attribute: 'max-files' }) maxFiles: string | number | null = null;

  /** Most bytes of all files together: bytes, `1GB` or `1GiB`. */
  @property({ attribute: 'max-total-size' }) maxTotalSize: string | number | null = null;

  /** Takes empty files too; otherwise they are refused, being nearly always a mistake. */
  @property({ type: Boolean, attribute: 'allow-empty' }) allowEmpty = false;

  /** Holds the first bytes of a file against its ending before it is sent: a program that is called `photo.jpg` is refused. */
  @property({ type: Boolean }) sniff = false;

  /** Holds the SHA-256 of what was stored against the file's own, computed beside the page; other bytes are a failed upload. */
  @property({ type: Boolean }) verify = false;

  /** Takes the place where a photo was made out of it before it is uploaded; pixels and all else stay as they are. What cannot be searched (malformed, over 256 MiB) is refused. */
  @property({ type: Boolean, attribute: 'strip-location' }) stripLocation = false;

  /** Pictures wider than so many pixels are made to fit before they are uploaded (JPEG, PNG, WebP that do not move). */
  @property({ attribute: 'resize-max-width' }) resizeMaxWidth: string | number | null = null;

  /** Pictures higher than so many pixels are made to fit before they are uploaded. */
  @property({ attribute: 'resize-max-height' }) resizeMaxHeight: string | number | null = null;

  /** How well a JPEG or WebP that is made to fit is kept, 0 to 1; 0.85 by default. */
  @property({ attribute: 'resize-quality' }) resizeQuality: string | number | null = null;

  /** Lets people put the files in another order, by dragging, pressing or keys; the form sends the paths in that order. */
  @property({ type: Boolean }) reorderable = false;

  /** Requests at once, 1 to 50. */
  @property() concurrency: string | number | null = null;

  /** Uploads only when `upload()` or the person says so. */
  @property({ type: Boolean, reflect: true }) manual = false;

  /** Language of the element, such as `pt-BR`; by default the nearest `lang` of the page. */
  @property() locale = '';

  constructor() {
    super();
    const now = this as Readonly<Record<PropertyKey, unknown>>;
    for (const name of (this.constructor as typeof UploaderAttributes).elementProperties.keys())
      this.#defaults.set(name, now[name]);
  }

  /** What is taken back, an attribute by its removal or a property by undefined (as frameworks do), is again as it was at first. */
  override requestUpdate(...change: Parameters<FormElement['requestUpdate']>): void {
    super.requestUpdate(...change);
    const [name] = change;
    if (name === undefined || !(#defaults in this) || !this.#defaults.has(name)) return;
    const now = this as Record<PropertyKey, unknown>;
    const first = this.#defaults.get(name);
    let value = now[name] ?? first;
    // A framework that gives a number where words belong breaks nothing.
    if (typeof first === 'string') value = String(value);
    if (value !== now[name]) now[name] = value;
  }
}
