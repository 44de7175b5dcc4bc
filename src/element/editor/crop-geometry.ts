import type { CropArea, ImageEdit } from '../../images/edit-image.js';
import type { ImageSize } from '../../images/image-size.js';

// Computes how a person's actions change an edit. Pure: every function returns a new edit whose crop area lies inside the picture.

/** Smallest side of a crop area in pixels of the picture. Smaller pictures are kept whole. */
export const MIN_SIDE = 16;
export const MAX_ANGLE = 45;
const MAX_ZOOM = 16;
/** Steps of a binary search. Twelve make it exact to a pixel of a large photo. */
const SEARCH_STEPS = 14;
/** Rounding errors do not count as outside, in pixels. */
const TOLERANCE = 0.001;

/** The side or corner of the crop area that is dragged: -1 is left or top, 1 right or bottom, 0 neither. */
export type Handle = readonly [x: -1 | 0 | 1, y: -1 | 0 | 1];

const radians = (degrees: number): number => (degrees * Math.PI) / 180;

/** Turns a point around the center. @param degrees clockwise, as seen on a screen */
function turnPoint({ x, y }: { x: number; y: number }, degrees: number): { x: number; y: number } {
  const [cos, sin] = [Math.cos(radians(degrees)), Math.sin(radians(degrees))];
  return { x: x * cos - y * sin, y: x * sin + y * cos };
}

/** Returns the size of the picture after its quarter turns. */
export const turnedSize = ({ width, height }: ImageSize, { turns }: Pick<ImageEdit, 'turns'>): ImageSize =>
  turns % 2 === 1 ? { width: height, height: width } : { width, height };

/** Returns the size of the smallest box around a crop area, in the directions of the picture's sides. */
function boxAround({ width, height }: ImageSize, angle: number): ImageSize {
  const [cos, sin] = [Math.cos(radians(angle)), Math.abs(Math.sin(radians(angle)))];
  return { width: width * cos + height * sin, height: width * sin + height * cos };
}

/** Moves a crop area into the picture. An area that is too large shrinks, and keeps its proportions. */
function fitInside(picture: ImageSize, edit: ImageEdit): ImageEdit {
  const bounds = turnedSize(picture, edit);
  const { crop, angle } = edit;
  const box = boxAround(crop, angle);
  const scale = Math.min(1, bounds.width / box.width, bounds.height / box.height);
  const center = turnPoint(crop, -angle);
  const limit = (value: number, outer: number, inner: number) => {
    const room = Math.max(0, (outer - inner * scale) / 2);
    return Math.max(-room, Math.min(room, value));
  };
  const inside = { x: limit(center.x, bounds.width, box.width), y: limit(center.y, bounds.height, box.height) };
  return { ...edit, crop: { ...turnPoint(inside, angle), width: crop.width * scale, height: crop.height * scale } };
}

function isInside(picture: ImageSize, edit: ImageEdit, crop: CropArea): boolean {
  const bounds = turnedSize(picture, edit);
  const box = boxAround(crop, edit.angle);
  const center = turnPoint(crop, -edit.angle);
  return (
    Math.abs(center.x) + box.width / 2 <= bounds.width / 2 + TOLERANCE &&
    Math.abs(center.y) + box.height / 2 <= bounds.height / 2 + TOLERANCE
  );
}

/** Returns the largest area with these proportions that fits into the picture. */
export function largestArea(picture: ImageSize, edit: Pick<ImageEdit, 'turns' | 'angle'>, ratio: number): ImageSize {
  const bounds = turnedSize(picture, edit);
  const box = boxAround({ width: ratio, height: 1 }, edit.angle);
  const height = Math.min(bounds.width / box.width, bounds.height / box.height);
  return { width: height * ratio, height };
}

/** Returns the edit that a picture starts with. @param ratio width by height of the area; null for the whole picture */
export function initialEdit(picture: ImageSize, ratio: number | null): ImageEdit {
  const start = { isMirrored: false, turns: 0, angle: 0 };
  return { ...start, crop: { x: 0, y: 0, ...largestArea(picture, start, ratio ?? picture.width / picture.height) } };
}

/** Returns whether an edit keeps the picture as it is. */
export const isUnchanged = (picture: ImageSize, { isMirrored, turns, angle, crop }: ImageEdit): boolean =>
  !isMirrored && turns === 0 && angle === 0 && crop.width > picture.width - 0.5 && crop.height > picture.height - 0.5;

/** Turns the picture by a quarter, with its crop area. @param direction 1 is clockwise */
export function rotate(picture: ImageSize, edit: ImageEdit, direction: 1 | -1, ratio: number | null): ImageEdit {
  const { crop } = edit;
  const turned = {
    ...edit,
    turns: (edit.turns + direction + 4) % 4,
    crop: { ...turnPoint(crop, direction * 90), width: crop.height, height: crop.width },
  };
  return ratio === null ? fitInside(picture, turned) : applyRatio(picture, turned, ratio);
}

/** Mirrors what the person sees from left to right. */
export function mirror(edit: ImageEdit): ImageEdit {
  const { turns, angle, isMirrored, crop } = edit;
  // `-angle` of 0 would be -0.
  return { isMirrored: !isMirrored, turns: (4 - turns) % 4, angle: 0 - angle, crop: { ...crop, x: 0 - crop.x } };
}

/** Turns the picture around the center of the crop area. @param angle degrees */
export function straighten(picture: ImageSize, edit: ImageEdit, angle: number): ImageEdit {
  const limited = Math.max(-MAX_ANGLE, Math.min(MAX_ANGLE, angle));
  return fitInside(picture, { ...edit, angle: limited, crop: { ...edit.crop, ...turnPoint(edit.crop, limited - edit.angle) } });
}

export function move(picture: ImageSize, edit: ImageEdit, x: number, y: number): ImageEdit {
  return fitInside(picture, { ...edit, crop: { ...edit.crop, x: edit.crop.x + x, y: edit.crop.y + y } });
}

/** Gives the crop area other proportions. It keeps its center, and its size as far as possible. */
export function applyRatio(picture: ImageSize, edit: ImageEdit, ratio: number): ImageEdit {
  const height = Math.sqrt((edit.crop.width * edit.crop.height) / ratio);
  return fitInside(picture, { ...edit, crop: { ...edit.crop, width: height * ratio, height } });
}

/** Returns how much smaller the crop area is than the largest one of its proportions, from 1, and the most that is possible. */
export function zoomOf(picture: ImageSize, edit: ImageEdit): { zoom: number; maxZoom: number } {
  const { width, height } = edit.crop;
  const largest = largestArea(picture, edit, width / height);
  const zoom = largest.width / width;
  const smallestWidth = MIN_SIDE * Math.max(1, width / height);
  // The handles can make the area smaller than that.
  return { zoom, maxZoom: Math.max(zoom, Math.min(MAX_ZOOM, largest.width / smallestWidth)) };
}

/** Makes the crop area smaller or larger around its center. */
export function zoomTo(picture: ImageSize, edit: ImageEdit, wanted: number): ImageEdit {
  const { zoom, maxZoom } = zoomOf(picture, edit);
  const scale = zoom / Math.max(1, Math.min(maxZoom, wanted));
  const { crop } = edit;
  return fitInside(picture, { ...edit, crop: { ...crop, width: crop.width * scale, height: crop.height * scale } });
}

/** Makes the crop area wider and higher on all sides, by a number of pixels. Nothing changes if there is no room. */
export function grow(picture: ImageSize, edit: ImageEdit, x: number, y: number, ratio: number | null): ImageEdit {
  const { crop } = edit;
  const minimum = Math.min(MIN_SIDE, crop.width, crop.height);
  let width = Math.max(minimum, crop.width + x);
  let height = Math.max(minimum, crop.height + y);
  if (ratio !== null) {
    // Both sides change with the one that the person changes.
    if (x === 0) width = height * ratio;
    else height = width / ratio;
  }
  const largest = largestArea(picture, edit, width / height);
  if (largest.width < width - TOLERANCE) {
    if (ratio !== null) return fitInside(picture, { ...edit, crop: { ...crop, ...largest } });
    // Only the growing side is limited.
    const room = limitGrowth(picture, edit, { ...crop, width, height });
    return fitInside(picture, { ...edit, crop: room });
  }
  return fitInside(picture, { ...edit, crop: { ...crop, width, height } });
}

/** Returns the area between two that is as close to the second one as the picture has room for, wherever it lies. */
function limitGrowth(picture: ImageSize, edit: ImageEdit, target: CropArea): CropArea {
  const bounds = turnedSize(picture, edit);
  return closest(edit.crop, target, (crop) => {
    const box = boxAround(crop, edit.angle);
    return box.width <= bounds.width + TOLERANCE && box.height <= bounds.height + TOLERANCE;
  });
}

/**
 * Moves a side or corner of the crop area. The opposite one stays.
 *
 * @param x, y distance in pixels of the picture
 */
export function resize(
  picture: ImageSize,
  edit: ImageEdit,
  handle: Handle,
  x: number,
  y: number,
  ratio: number | null,
): ImageEdit {
  const { crop } = edit;
  const minimum = Math.min(MIN_SIDE, crop.width, crop.height);
  const [hx, hy] = handle;
  const fits = (area: CropArea) => isInside(picture, edit, area);
  if (ratio === null) {
    // One direction after the other, so that the area slides along a side of the picture.
    const width = Math.max(minimum, crop.width + hx * x);
    const wider = closest(crop, { ...crop, width, x: crop.x + (hx * (width - crop.width)) / 2 }, fits);
    const height = Math.max(minimum, crop.height + hy * y);
    return { ...edit, crop: closest(wider, { ...wider, height, y: crop.y + (hy * (height - crop.height)) / 2 }, fits) };
  }
  const growth = Math.max(hx === 0 ? -Infinity : hx * x, hy === 0 ? -Infinity : hy * y * ratio);
  const width = Math.max(minimum, minimum * ratio, crop.width + growth);
  const height = width / ratio;
  const center = { x: crop.x + (hx * (width - crop.width)) / 2, y: crop.y + (hy * (height - crop.height)) / 2 };
  return { ...edit, crop: closest(crop, { ...center, width, height }, fits) };
}

/** Returns the area on the way from one that fits to another, as far as it fits. */
function closest(from: CropArea, to: CropArea, fits: (area: CropArea) => boolean): CropArea {
  if (fits(to)) return to;
  const at = (share: number): CropArea => ({
    x: from.x + (to.x - from.x) * share,
    y: from.y + (to.y - from.y) * share,
    width: from.width + (to.width - from.width) * share,
    height: from.height + (to.height - from.height) * share,
  });
  let [low, high] = [0, 1];
  for (let step = 0; step < SEARCH_STEPS; step++) {
    const middle = (low + high) / 2;
    if (fits(at(middle))) low = middle;
    else high = middle;
  }
  return at(low);
}

/** Aligns the crop area with the pixels of the picture, so that a picture that is only cropped keeps them exactly. */
export function alignToPixels(picture: ImageSize, edit: ImageEdit): ImageEdit {
  if (edit.angle !== 0) return edit;
  const { crop } = edit;
  const bounds = turnedSize(picture, edit);
  const [width, height] = [Math.max(1, Math.round(crop.width)), Math.max(1, Math.round(crop.height))];
  const align = (center: number, side: number, outer: number) => {
    const start = Math.round(center + outer / 2 - side / 2);
    return Math.max(0, Math.min(outer - side, start)) + side / 2 - outer / 2;
  };
  return {
    ...edit,
    crop: { width, height, x: align(crop.x, width, bounds.width), y: align(crop.y, height, bounds.height) },
  };
}

/** Returns size and position of the crop area in whole pixels, as people read them. */
export function describeArea(picture: ImageSize, edit: ImageEdit): Record<'width' | 'height' | 'left' | 'top', number> {
  const { crop } = alignToPixels(picture, edit);
  const bounds = turnedSize(picture, edit);
  return {
    width: Math.round(crop.width),
    height: Math.round(crop.height),
    left: Math.round((bounds.width - crop.width) / 2 + crop.x),
    top: Math.round((bounds.height - crop.height) / 2 + crop.y),
  };
}
