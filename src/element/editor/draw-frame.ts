import type { ImageSize } from '../../images/image-size.js';
import type { cropOnStage } from './crop-view.js';

type Rect = ReturnType<typeof cropOnStage>;

const SHADE = 'rgb(0 0 0 / 0.6)';
const LINE = '#fff';
/** A dark line around each light one keeps it visible on white pictures. */
const OUTLINE = 'rgb(0 0 0 / 0.7)';
const CORNER = 18;
const CORNER_WIDTH = 3;

/** Draws the crop area over the picture: the rest is dark, and the corners show that they can be dragged. */
export function drawFrame(context: CanvasRenderingContext2D, stage: ImageSize, rect: Rect, isActive: boolean): void {
  const { left, top, width, height } = rect;
  context.fillStyle = SHADE;
  context.beginPath();
  context.rect(0, 0, stage.width, stage.height);
  context.rect(left, top, width, height);
  context.fill('evenodd');
  if (isActive) stroke(context, () => traceThirds(context, rect), 1);
  stroke(context, () => context.rect(left, top, width, height), 1);
  stroke(context, () => traceHandles(context, rect), CORNER_WIDTH);
}

function stroke(context: CanvasRenderingContext2D, trace: () => void, width: number): void {
  context.beginPath();
  trace();
  context.lineWidth = width + 2;
  context.strokeStyle = OUTLINE;
  context.stroke();
  context.lineWidth = width;
  context.strokeStyle = LINE;
  context.stroke();
}

function traceThirds(context: CanvasRenderingContext2D, { left, top, width, height }: Rect): void {
  for (const share of [1 / 3, 2 / 3]) {
    context.moveTo(left + width * share, top);
    context.lineTo(left + width * share, top + height);
    context.moveTo(left, top + height * share);
    context.lineTo(left + width, top + height * share);
  }
}

/** Traces a bar at each side and an angle in each corner. Small areas have shorter ones. */
function traceHandles(context: CanvasRenderingContext2D, { left, top, width, height }: Rect): void {
  const length = Math.min(CORNER, width / 3, height / 3);
  for (const [x, toRight] of [
    [left, 1],
    [left + width, -1],
  ] as const) {
    for (const [y, down] of [
      [top, 1],
      [top + height, -1],
    ] as const) {
      context.moveTo(x + toRight * length, y);
      context.lineTo(x, y);
      context.lineTo(x, y + down * length);
    }
    context.moveTo(x, top + height / 2 - length / 2);
    context.lineTo(x, top + height / 2 + length / 2);
  }
  for (const y of [top, top + height]) {
    context.moveTo(left + width / 2 - length / 2, y);
    context.lineTo(left + width / 2 + length / 2, y);
  }
}
