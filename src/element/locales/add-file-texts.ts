import { enUsFiles } from './en-us-files.js';
import { addEnglishTexts } from './load-localizer.js';

/** Completes English. Each part of the element that loads later calls it before its first text. */
export const addFileTexts = (): void => addEnglishTexts(enUsFiles);
