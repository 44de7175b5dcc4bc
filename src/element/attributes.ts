import { property } from 'lit/decorators.js';
import type { TokenProvider } from '../queue/types.js';
import type { ErrorTexts } from './locales/error-messages.js';
import type { Transport } from '../protocol/transport.js';
import type { FileField } from './fields/read-fields.js';
import { FormElement } from './form/form-element.js';
import type { RawSettings } from './settings/read-settings.js';

/** Declares every attribute and property of `<svc-uploader>` that a page may set. `settings/` parses their values. */
export abstract class UploaderAttributes extends FormElement implements RawSettings {
  /** Values of all properties right after construction. */
  readonly #defaults = new Map<PropertyKey, unknown>();

  /** Media types and extensions that the picker offers, as for `<input type=file>`. Dropped files are checked against it as well. */
  @property() accept = '';

  /** Accepts more than one file. */
  @property({ type: Boolean, reflect: true }) multiple = false;

  /** Camera that a phone opens instead of its file picker: `user` or `environment`. Without a value the phone decides. */
  @property() capture: '' | 'user' | 'environment' = '';

  /** Picks whole folders and keeps the paths of their files. */
  @property({ type: Boolean, reflect: true }) webkitdirectory = false;

  /**
   * Sources that people choose from in a menu: one or more of `device`, `camera` (photos and videos), `screen` and `microphone`
   * (recordings), and `url` (links). Sources that the browser, the page, the token or the accepted types rule out are not offered. Without it, the
   * button opens the file picker.
   */
  @property() sources = '';

  /**
   * Another place for dropped files: `page`, or a CSS selector of a part of the page. The element is highlighted while files are
   * dragged over it.
   */
  @property({ attribute: 'drop-target' }) dropTarget = '';

  /** Another place for pasted files: `page`, or a CSS selector of a part of the page. */
  @property({ attribute: 'paste-target' }) pasteTarget = '';

  /** Text above the element that names it. For markup, use the slot of the same name. */
  @property() label = '';

  /** Text that says which files are accepted. Generated from the limits by default. For markup, use the slot of the same name. */
  @property() hint = '';

  /** `dropzone`, `grid` (the files as tiles with large thumbnails), `inline` (one row, for dense forms), `button`, or `avatar` (one picture). */
  @property() appearance: 'dropzone' | 'grid' | 'inline' | 'button' | 'avatar' = 'dropzone';

  /** Shape of an `avatar`: `circle` or `square`. */
  @property() shape: 'circle' | 'square' = 'circle';

  /** Base URL of Blob Storage without `/v1`, such as `https://blob.example.com`. Not needed with a token endpoint, whose response contains it. */
  @property() endpoint = '';

  /** A short-lived upload token. Never reflected or stored, and sent only to `endpoint`. */
  @property() token: string | null = null;

  /** URL on your own server that responds to `POST {files, reason}` with a token. */
  @property({ attribute: 'token-endpoint' }) tokenEndpoint = '';

  /**
   * Asks `token-endpoint` for the limits of its tokens before a file is chosen, so that people read them at once. The route must support the
   * reason `limits`, as `createTokenRoute` does. Any other route may create a token for each visitor. For `token`, asks the service.
   */
  @property({ type: Boolean, attribute: 'fetch-limits' }) fetchLimits = false;

  /**
   * Shows thumbnails of stored images after Back, a reload or `restore()`. Asks `token-endpoint` for temporary links with the reason `preview`,
   * which the route must support, as `createTokenRoute` does with its option `preview`.
   */
  @property({ type: Boolean, attribute: 'fetch-previews' }) fetchPreviews = false;

  /** Function that returns a token: `({files, reason, signal}) => Promise<string | SuppliedToken>`. */
  @property({ attribute: false }) tokenProvider: TokenProvider | null = null;

  /** Sends the files in another way than with a token, such as `s3Transport` of `svc-uploader/s3`. */
  @property({ attribute: false }) transport: Transport | null = null;

  /** Size of the largest file that is accepted: bytes, `10MB` or `10MiB`. Can only narrow the limit of the token. */
  @property({ attribute: 'max-size' }) maxSize: string | number | null = null;

  /** Extensions that are accepted, such as `pdf, png, tar.gz`. Can only narrow the list of the token. */
  @property({ attribute: 'allowed-extensions' }) allowedExtensions: string | readonly string[] | null = null;

  /** Largest number of files. Needs `multiple`. */
  @property({ attribute: 'max-files' }) maxFiles: string | number | null = null;

  /** Largest total size of all files: bytes, `1GB` or `1GiB`. */
  @property({ attribute: 'max-total-size' }) maxTotalSize: string | number | null = null;

  /** Accepts empty files. By default they are refused, because they are nearly always a mistake. */
  @property({ type: Boolean, attribute: 'allow-empty' }) allowEmpty = false;

  /** Compares the first bytes of a file with its extension before it is sent. A program named `photo.jpg` is refused. */
  @property({ type: Boolean }) sniff = false;

  /** Compares the SHA-256 of the stored file with that of the chosen file, computed in a worker. If they differ, the upload fails. */
  @property({ type: Boolean }) verify = false;

  /** Removes the location from photos before they are uploaded. All else stays unchanged. Malformed photos, and photos over 256 MiB, are refused. */
  @property({ type: Boolean, attribute: 'strip-location' }) stripLocation = false;

  /** Largest width of images in pixels. Wider ones are scaled down before they are uploaded (JPEG, PNG and WebP that are not animated). */
  @property({ attribute: 'resize-max-width' }) resizeMaxWidth: string | number | null = null;

  /** Largest height of images in pixels. Higher ones are scaled down before they are uploaded. */
  @property({ attribute: 'resize-max-height' }) resizeMaxHeight: string | number | null = null;

  /** Quality of a JPEG or WebP that is scaled down, from 0 to 1. 0.85 by default. */
  @property({ attribute: 'resize-quality' }) resizeQuality: string | number | null = null;

  /** Format of images that are scaled down or edited: `jpeg`, `png` or `webp`. Each keeps its own by default. */
  @property({ attribute: 'resize-format' }) resizeFormat: '' | 'jpeg' | 'png' | 'webp' = '';

  /** Lets people crop, turn and mirror pictures (JPEG, PNG, WebP and AVIF that are not animated) before and after their upload. */
  @property({ type: Boolean }) editable = false;

  /** Opens the editor before the upload when a single picture is chosen. Needs `editable`. */
  @property({ type: Boolean, attribute: 'edit-first' }) editFirst = false;

  /** Proportions of edited pictures, such as `1:1`, or a list to choose from, such as `free, 1:1, 16:9`. Free by default. */
  @property({ attribute: 'crop-ratio' }) cropRatio = '';

  /**
   * Fields that the person fills in for each file before its upload, as JSON: a list of `{name, label, required, maxlength, options}`. With
   * `options` a field is a list of choices. The values are stored as metadata of the file.
   */
  @property() fields: string | readonly FileField[] | null = null;

  /**
   * Decides what the button beside an uploaded file does: `list` takes the file off the list and leaves it stored, `delete` also deletes it from Blob
   * Storage. `delete` needs a token with `allow_delete`.
   */
  @property() removal: 'list' | 'delete' = 'list';

  /** Lets people reorder the files by dragging, clicking or keys. The form sends the paths in that order. */
  @property({ type: Boolean }) reorderable = false;

  /** Number of parallel requests, from 1 to 50. 6 by default. */
  @property() concurrency: string | number | null = null;

  /** Starts the upload only when `upload()` is called or the person presses Upload. */
  @property({ type: Boolean, reflect: true }) manual = false;

  /** Language of the element, such as `pt-BR`. By default the nearest `lang` attribute of the page. */
  @property() locale = '';

  /** Texts for errors of uploads by code, in place of the element's own, such as `{STORAGE_FULL: 'Delete old files first.'}`. */
  @property({ attribute: false }) errorTexts: ErrorTexts | null = null;

  constructor() {
    super();
    const values = this as Readonly<Record<PropertyKey, unknown>>;
    for (const name of (this.constructor as typeof UploaderAttributes).elementProperties.keys())
      this.#defaults.set(name, values[name]);
  }

  /** Restores the default of a property that is set to null or undefined, as frameworks do, or whose attribute is removed. */
  override requestUpdate(...change: Parameters<FormElement['requestUpdate']>): void {
    super.requestUpdate(...change);
    const [name] = change;
    if (name === undefined || !(#defaults in this) || !this.#defaults.has(name)) return;
    const values = this as Record<PropertyKey, unknown>;
    const defaultValue = this.#defaults.get(name);
    let value = values[name] ?? defaultValue;
    // Frameworks may set a number where the element expects text.
    if (typeof defaultValue === 'string') value = String(value);
    if (value !== values[name]) values[name] = value;
  }
}
