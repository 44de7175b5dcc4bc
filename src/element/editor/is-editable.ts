import type { UploadItem } from '../../queue/types.js';

/** Types that all browsers decode and that are no animations or drawings. */
const TYPES = /^image\/(jpeg|png|webp|avif)$/;

export const isEditableType = (type: string): boolean => TYPES.test(type);

/** Returns whether the picture of a file can be edited: its bytes are in the page, and it may be uploaded. */
export const isEditable = ({ file, type, state, deletion }: UploadItem): boolean =>
  file !== null && isEditableType(type) && state.status !== 'rejected' && deletion === undefined;
