import type { ImageEdit } from '../../images/edit-image.js';
import type { ResizeOptions } from '../../images/resize-image.js';
import { readNumber } from '../settings/parse.js';
import { describeProblem } from '../settings/problems.js';
import { DEFAULT_QUALITY, QUALITY_RANGE } from '../settings/read-settings.js';
import type { Settings } from '../settings/read-settings.js';
import { RATIO_RULE, readCropRatios } from './crop-ratios.js';
import type { CropRatio } from './crop-ratios.js';

/** The settings of the element that the editor reads. */
export interface EditSettings {
  readonly cropRatio: string;
  readonly resizeQuality: string | number | null;
  readonly resizeFormat: string;
  readonly settings: Pick<Settings, 'imageOptions'>;
}

/** The changes that made a file, so that it can be edited again from the chosen one. */
export const editsByFile = new WeakMap<File, ImageEdit>();

const FREE: readonly CropRatio[] = [{ name: '', value: null }];
let reportedValue = '';

/** Reads `crop-ratio`. An invalid value allows all proportions, and is reported once. */
export function readRatios({ cropRatio }: EditSettings): readonly CropRatio[] {
  const ratios = readCropRatios(cropRatio);
  if (ratios === undefined && reportedValue !== cropRatio)
    console.warn(describeProblem({ attribute: 'crop-ratio', value: cropRatio, rule: RATIO_RULE }));
  reportedValue = cropRatio;
  return ratios ?? FREE;
}

/** Reads size, quality and type of edited pictures. */
export function readFormat({ settings, resizeQuality, resizeFormat }: EditSettings): ResizeOptions {
  const resize = settings.imageOptions?.resize;
  if (resize) return resize;
  const quality = readNumber('resize-quality', resizeQuality, QUALITY_RANGE, () => {}) ?? DEFAULT_QUALITY;
  return { maxWidth: null, maxHeight: null, quality, type: resizeFormat === '' ? null : `image/${resizeFormat}` };
}
