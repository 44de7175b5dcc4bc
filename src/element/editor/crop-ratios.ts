import type { CropArea } from '../../images/edit-image.js';

/** Proportions that a page offers. */
export interface CropRatio {
  /** As the page writes it, such as `16:9`; '' for free proportions. */
  name: string;
  /** Width divided by height; null for free proportions. */
  value: number | null;
}

const FREE: CropRatio = { name: '', value: null };
/** Rule for the attribute, for the console. */
export const RATIO_RULE = 'Write proportions such as "1:1", or a list such as "free, 1:1, 16:9".';

/**
 * Reads the attribute `crop-ratio`. With one entry people cannot choose.
 *
 * @returns undefined if an entry is invalid
 */
export function readCropRatios(value: string): readonly CropRatio[] | undefined {
  const entries = value
    .toLowerCase()
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean);
  if (entries.length === 0) return [FREE];
  const ratios = entries.map(readRatio);
  return ratios.includes(undefined) ? undefined : (ratios as CropRatio[]);
}

function readRatio(entry: string): CropRatio | undefined {
  if (entry === 'free') return FREE;
  const [, width = '', height = '1'] = /^(\d+(?:\.\d+)?)(?:\s*[:/]\s*(\d+(?:\.\d+)?))?$/.exec(entry) ?? [];
  const value = Number(width) / Number(height);
  // More extreme proportions would leave no picture.
  return value >= 0.05 && value <= 20 ? { name: `${width}:${height}`, value } : undefined;
}

/** Returns the offered proportions that an earlier edit has. */
export function ratioOf(crop: CropArea, ratios: readonly CropRatio[]): CropRatio {
  // A crop area of whole pixels has its proportions only nearly.
  const isNear = ({ value }: CropRatio) => value !== null && Math.abs(crop.width - crop.height * value) <= Math.max(1, value) + 1;
  return ratios.find(isNear) ?? ratios.find(({ value }) => value === null) ?? ratios[0]!;
}
