import { controlStyles } from './controls.js';
import { dropzoneStyles } from './dropzone.js';
import { hostStyles } from './host.js';

/** The styles of an element without files. */
export const styles = [hostStyles, controlStyles, dropzoneStyles];
