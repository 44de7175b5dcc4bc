import type { CropArea } from '../../images/edit-image.js';
import type { ImageSize } from '../../images/image-size.js';
import type { Handle } from './crop-geometry.js';

/** Position and size of the turned picture on the stage. */
export interface View {
  /** Point of the picture in the middle of the stage. */
  x: number;
  y: number;
  /** CSS pixels of the stage for each pixel of the picture. */
  scale: number;
}

/** CSS pixels around the crop area, for its handles. */
const MARGIN = 28;
/** Distance to a side or corner, in CSS pixels, within which a press drags it. A finger needs more. */
export const REACH = { mouse: 12, touch: 24 } as const;

/** Returns the view in which the crop area fills the stage. */
export function fitView(stage: ImageSize, crop: CropArea): View {
  const room = (side: number) => Math.max(1, side - 2 * MARGIN);
  return { x: crop.x, y: crop.y, scale: Math.min(room(stage.width) / crop.width, room(stage.height) / crop.height) };
}

export const mixViews = (from: View, to: View, share: number): View => ({
  x: from.x + (to.x - from.x) * share,
  y: from.y + (to.y - from.y) * share,
  scale: from.scale * (to.scale / from.scale) ** share,
});

/** Returns the rectangle of the crop area on the stage, in CSS pixels. */
export function cropOnStage(
  stage: ImageSize,
  view: View,
  crop: CropArea,
): { left: number; top: number; width: number; height: number } {
  const [width, height] = [crop.width * view.scale, crop.height * view.scale];
  return {
    left: stage.width / 2 + (crop.x - view.x) * view.scale - width / 2,
    top: stage.height / 2 + (crop.y - view.y) * view.scale - height / 2,
    width,
    height,
  };
}

/** Finds the side or corner of the crop area near a point of the stage; undefined if the point is not near one. */
export function findHandle(
  rect: ReturnType<typeof cropOnStage>,
  point: { x: number; y: number },
  reach: number,
): Handle | undefined {
  const side = (value: number, start: number, length: number): -1 | 0 | 1 | undefined => {
    const [toStart, toEnd] = [Math.abs(value - start), Math.abs(value - start - length)];
    if (Math.min(toStart, toEnd) <= reach) return toStart < toEnd ? -1 : 1;
    return value > start && value < start + length ? 0 : undefined;
  };
  const x = side(point.x, rect.left, rect.width);
  const y = side(point.y, rect.top, rect.height);
  return x === undefined || y === undefined || (x === 0 && y === 0) ? undefined : [x, y];
}
