import { controlStyles } from './controls.js';
import { dropzoneStyles } from './dropzone.js';
import { hostStyles } from './host.js';
import { listStyles } from './list.js';

export const styles = [hostStyles, controlStyles, dropzoneStyles, listStyles];
