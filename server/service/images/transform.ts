import { validationError } from '../../../src/protocol/errors.js';
import { IMAGE } from '../../../src/protocol/limits.js';

/** Size, crop, format and quality of a resized image. At least one of `width` and `height` is set. */
export interface ImageTransform {
  /** Pixels; null: as the height requires. */
  width: number | null;
  height: number | null;
  /** `cover` fills width and height and crops. `contain` fits inside of them. Neither enlarges an image. */
  fit: (typeof FITS)[number];
  /** `auto` chooses a format that the client accepts. */
  format: (typeof FORMATS)[number];
  /** 1..100, on the scale of JPEG. */
  quality: number;
}

/** The parameters of a request or a link. */
export type TransformQuery = { [Name in (typeof PARAMETERS)[number]]?: string | number | undefined };

export const PARAMETERS = ['w', 'h', 'fit', 'format', 'q'] as const;
export const FITS = ['cover', 'contain'] as const;
export const FORMATS = ['auto', 'avif', 'webp', 'jpeg', 'png'] as const;

/**
 * Reads the parameters of an image from a query.
 * @returns undefined if the query has none of them, so that the request is for the file itself.
 * @throws `VALIDATION_ERROR`
 */
export function readTransform(query: TransformQuery): ImageTransform | undefined {
  if (PARAMETERS.every((name) => query[name] === undefined)) return undefined;
  const width = readNumber(query, 'w', IMAGE.side);
  const height = readNumber(query, 'h', IMAGE.side);
  if (width === null && height === null) throw validationError('w', 'or `h` must state the width or height of the image');
  return {
    width,
    height,
    fit: readChoice(query, 'fit', FITS),
    format: readChoice(query, 'format', FORMATS),
    quality: readNumber(query, 'q', IMAGE.quality) ?? IMAGE.quality.default,
  };
}

function readNumber(query: TransformQuery, name: 'w' | 'h' | 'q', { min, max }: { min: number; max: number }): number | null {
  if (query[name] === undefined) return null;
  const text = String(query[name]);
  const value = Number(text);
  if (!/^\d{1,4}$/.test(text) || value < min || value > max)
    throw validationError(name, `must be an integer from ${min} to ${max}; got ${JSON.stringify(text)}`);
  return value;
}

/** @returns the first choice if the query states none. */
function readChoice<Choice extends string>(
  query: TransformQuery,
  name: 'fit' | 'format',
  choices: readonly [Choice, ...Choice[]],
): Choice {
  const value = query[name] ?? choices[0];
  const choice = choices.find((candidate) => candidate === value);
  if (choice === undefined) throw validationError(name, `must be one of ${choices.join(', ')}; got ${JSON.stringify(value)}`);
  return choice;
}

/** Writes the parameters of a transform in a fixed order. Equal transforms give equal text, which links sign. */
export function transformQuery({ width, height, fit, format, quality }: ImageTransform): string {
  const query = new URLSearchParams();
  if (width !== null) query.set('w', String(width));
  if (height !== null) query.set('h', String(height));
  query.set('fit', fit);
  query.set('format', format);
  query.set('q', String(quality));
  return query.toString();
}

/** Writes the size as rules list it: `400x300`, `400x` or `x300`. */
export const sizeOf = ({ width, height }: ImageTransform): string => `${width ?? ''}x${height ?? ''}`;

/** Returns whether a list of sizes contains the transform. Everyone may choose among a few qualities only, so that the number of variants is bounded. */
export const isListed = (transform: ImageTransform, sizes: readonly string[]): boolean =>
  sizes.includes(sizeOf(transform)) && IMAGE.listedQualities.some((quality) => quality === transform.quality);
