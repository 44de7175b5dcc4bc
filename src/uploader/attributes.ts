import { property } from 'lit/decorators.js';
import type { TokenProvider } from '../engine/types.js';
import { FormElement } from '../form/form-element.js';
import type { RawSettings } from './settings/read.js';

/** Text whose attribute, when it is taken away, leaves the property as it was at first instead of null. */
const text = (atFirst = '') => ({ converter: { fromAttribute: (value: string | null) => value ?? atFirst } });

/** Every attribute and property of `<svc-uploader>` that a page may set. What they mean is read in `settings/`. */
export abstract class UploaderAttributes extends FormElement implements RawSettings {
  /** Media types and endings the picker offers, as of `<input type=file>`; dropped files are held to it as well. */
  @property(text()) accept = '';

  /** Takes more than one file. */
  @property({ type: Boolean, reflect: true }) multiple = false;

  /** Which camera a phone opens instead of its files: `user` or `environment`. */
  @property(text()) capture = '';

  /** Picks whole folders, with their files' paths. */
  @property({ type: Boolean, reflect: true }) webkitdirectory = false;

  /** Text above the element that names it. A slot of the same name takes markup. */
  @property(text()) label = '';

  /** A line that says what may be chosen; made from the limits when it is not set. A slot of the same name takes markup. */
  @property(text()) hint = '';

  /** `dropzone`, `inline` (one row, for dense forms) or `button`. */
  @property({ ...text('dropzone'), reflect: true }) appearance = 'dropzone';

  /** Address of Blob Storage, without `/v1`. Not needed with a token endpoint, whose answer tells it. */
  @property(text()) endpoint = '';

  /** A short-lived upload token. Never reflected, stored or sent anywhere but to `endpoint`. */
  @property() token: string | null = null;

  /** Address on your own server that answers `POST {files, reason}` with a token. */
  @property({ ...text(), attribute: 'token-endpoint' }) tokenEndpoint = '';

  /** A function that gives a token: `({files, reason, signal}) => Promise<string | TokenGrant>`. */
  @property({ attribute: false }) tokenProvider: TokenProvider | null = null;

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

  /** Requests at once, 1 to 50. */
  @property() concurrency: string | number | null = null;

  /** Uploads only when `upload()` or the person says so. */
  @property({ type: Boolean, reflect: true }) manual = false;

  /** Language of the element, such as `pt-BR`; by default the nearest `lang` of the page. */
  @property(text()) locale = '';
}
