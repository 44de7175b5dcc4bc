import type { UploadItem } from '../../queue/types.js';
import { toDisplayText } from '../../protocol/display-text.js';

/** Returns the name of a file as people see it, with its path if it is in a chosen folder. */
export const displayName = ({ name, relativePath }: UploadItem): string => toDisplayText(relativePath || name, '\ufffd');
