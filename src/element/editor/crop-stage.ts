import type { Picture } from '../../images/decode-picture.js';
import { drawTurned } from '../../images/edit-image.js';
import type { ImageEdit } from '../../images/edit-image.js';
import type { ImageSize } from '../../images/image-size.js';
import * as geometry from './crop-geometry.js';
import type { Handle } from './crop-geometry.js';
import { REACH, cropOnStage, findHandle, fitView, mixViews } from './crop-view.js';
import type { View } from './crop-view.js';
import { drawFrame } from './draw-frame.js';

/** The part of the editor that the stage uses. */
export interface StageHost {
  readonly edit: ImageEdit;
  /** The proportions that the crop area keeps; null if they are free. */
  readonly ratio: number | null;
  /** @param byKey the person used the keyboard, so the new area is announced */
  change(edit: ImageEdit, byKey?: boolean): void;
}

const ANIMATION_MS = 160;
/** CSS pixels by which an arrow key moves or resizes the crop area. */
const KEY_STEP = 10;
const KEY_ZOOM = 1.1;
const WHEEL_SPEED = 0.002;
/** A wheel that counts lines or pages instead of pixels. */
const WHEEL_LINE = 16;

/** A press drags a handle or moves the picture. Two fingers also zoom. */
interface Gesture {
  handle: Handle | undefined;
  /** Distance of two fingers and zoom when the gesture began; undefined with one pointer. */
  pinch: { distance: number; zoom: number } | undefined;
}

const CURSORS: Readonly<Record<string, string>> = {
  '-1 -1': 'nwse-resize',
  '1 1': 'nwse-resize',
  '-1 1': 'nesw-resize',
  '1 -1': 'nesw-resize',
  '-1 0': 'ew-resize',
  '1 0': 'ew-resize',
  '0 -1': 'ns-resize',
  '0 1': 'ns-resize',
};

/**
 * Shows the picture with its crop area on a canvas, and changes the area by pointer, wheel and keyboard. The area fills the stage:
 * dragging moves the picture below it. A canvas needs no address of the picture, which a Content-Security-Policy would have to allow.
 */
export class CropStage {
  readonly #observer = new ResizeObserver(() => this.#layOut());
  readonly #pointers = new Map<number, { x: number; y: number }>();
  #gesture: Gesture | undefined;
  #size: ImageSize = { width: 1, height: 1 };
  #view: View | undefined;
  #animation: { from: View; start: number } | undefined;
  #frame = 0;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly picture: Picture,
    private readonly host: StageHost,
  ) {
    canvas.addEventListener('pointerdown', this.#onPointerDown);
    canvas.addEventListener('pointermove', this.#onPointerMove);
    for (const type of ['pointerup', 'pointercancel', 'lostpointercapture'] as const)
      canvas.addEventListener(type, this.#onPointerEnd);
    canvas.addEventListener('wheel', this.#onWheel, { passive: false });
    canvas.addEventListener('keydown', this.#onKeyDown);
    this.#observer.observe(canvas);
    this.#layOut();
  }

  /** Stops drawing. The canvas is about to be removed. */
  destroy(): void {
    this.#observer.disconnect();
    cancelAnimationFrame(this.#frame);
  }

  /** Draws the changed edit. @param isGradual the view moves to it */
  update(isGradual: boolean): void {
    if (this.#gesture?.handle !== undefined) return this.#schedule();
    const isStill = !isGradual || matchMedia('(prefers-reduced-motion: reduce)').matches;
    if (isStill || this.#view === undefined) {
      this.#view = this.#target;
      this.#animation = undefined;
    } else this.#animation = { from: this.#view, start: performance.now() };
    return this.#schedule();
  }

  get #target(): View {
    return fitView(this.#size, this.host.edit.crop);
  }

  #layOut(): void {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (width === 0 || height === 0) return;
    this.#size = { width, height };
    const density = globalThis.devicePixelRatio || 1;
    Object.assign(this.canvas, { width: Math.round(width * density), height: Math.round(height * density) });
    this.#view = this.#target;
    this.#animation = undefined;
    this.#draw();
  }

  #schedule(): void {
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      this.#animate();
      this.#draw();
    });
  }

  #animate(): void {
    if (this.#animation === undefined) return;
    const { from, start } = this.#animation;
    const share = Math.min(1, (performance.now() - start) / ANIMATION_MS);
    this.#view = mixViews(from, this.#target, 1 - (1 - share) ** 3);
    if (share < 1) this.#schedule();
    else this.#animation = undefined;
  }

  #draw(): void {
    const context = this.canvas.getContext('2d');
    const view = this.#view;
    if (context === null || view === undefined) return;
    const { width, height } = this.#size;
    const density = this.canvas.width / width;
    context.setTransform(density, 0, 0, density, 0, 0);
    context.clearRect(0, 0, width, height);
    context.save();
    context.translate(width / 2, height / 2);
    context.scale(view.scale, view.scale);
    context.translate(-view.x, -view.y);
    drawTurned(context, this.picture, this.host.edit);
    context.restore();
    drawFrame(context, this.#size, cropOnStage(this.#size, view, this.host.edit.crop), this.#gesture !== undefined);
  }

  #handleAt(event: PointerEvent): Handle | undefined {
    if (this.#view === undefined) return undefined;
    const rect = cropOnStage(this.#size, this.#view, this.host.edit.crop);
    const reach = event.pointerType === 'mouse' ? REACH.mouse : REACH.touch;
    return findHandle(rect, { x: event.offsetX, y: event.offsetY }, reach);
  }

  readonly #onPointerDown = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    this.canvas.setPointerCapture(event.pointerId);
    this.#pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    const handle = this.#pointers.size === 1 ? this.#handleAt(event) : undefined;
    this.#gesture = { handle, pinch: this.#startPinch() };
    this.canvas.focus({ preventScroll: true });
    // The browser would focus what is below the pointer, or start a selection.
    event.preventDefault();
    this.#schedule();
  };

  readonly #onPointerMove = (event: PointerEvent): void => {
    const last = this.#pointers.get(event.pointerId);
    if (last === undefined) {
      const handle = this.#handleAt(event);
      this.canvas.style.setProperty('cursor', handle ? CURSORS[handle.join(' ')]! : 'move');
      return;
    }
    this.#pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    const view = this.#view;
    if (view === undefined || this.#gesture === undefined) return;
    // Two fingers move the picture as far as the point between them moves.
    const share = view.scale * this.#pointers.size;
    const [x, y] = [(event.clientX - last.x) / share, (event.clientY - last.y) / share];
    const { edit, ratio } = this.host;
    const { handle, pinch } = this.#gesture;
    if (handle) return this.host.change(geometry.resize(this.picture.full, edit, handle, x, y, ratio));
    const zoomed = pinch
      ? geometry.zoomTo(this.picture.full, edit, pinch.zoom * (this.#fingerDistance() / pinch.distance))
      : edit;
    return this.host.change(geometry.move(this.picture.full, zoomed, -x, -y));
  };

  readonly #onPointerEnd = (event: PointerEvent): void => {
    if (!this.#pointers.delete(event.pointerId)) return;
    const wasHandle = this.#gesture?.handle !== undefined;
    this.#gesture = this.#pointers.size === 0 ? undefined : { handle: undefined, pinch: this.#startPinch() };
    this.update(wasHandle);
  };

  #startPinch(): Gesture['pinch'] {
    if (this.#pointers.size !== 2) return undefined;
    const { zoom } = geometry.zoomOf(this.picture.full, this.host.edit);
    return { zoom, distance: Math.max(1, this.#fingerDistance()) };
  }

  #fingerDistance(): number {
    const [one, other] = [...this.#pointers.values()];
    return one && other ? Math.hypot(one.x - other.x, one.y - other.y) : 1;
  }

  readonly #onWheel = (event: WheelEvent): void => {
    event.preventDefault();
    const pixels = event.deltaY * (event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 1 : WHEEL_LINE);
    this.#zoomBy(Math.exp(-pixels * WHEEL_SPEED));
  };

  #zoomBy(factor: number, byKey = false): void {
    const { edit } = this.host;
    const { zoom } = geometry.zoomOf(this.picture.full, edit);
    this.host.change(geometry.zoomTo(this.picture.full, edit, zoom * factor), byKey);
  }

  readonly #onKeyDown = (event: KeyboardEvent): void => {
    const { key, shiftKey } = event;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (key === '+' || key === '=') this.#zoomBy(KEY_ZOOM, true);
    else if (key === '-' || key === '_') this.#zoomBy(1 / KEY_ZOOM, true);
    else if (key.startsWith('Arrow')) this.#onArrow(key, shiftKey);
    else return;
    event.preventDefault();
  };

  #onArrow(key: string, resizes: boolean): void {
    const step = KEY_STEP / (this.#view?.scale ?? 1);
    const x = key === 'ArrowRight' ? step : key === 'ArrowLeft' ? -step : 0;
    const y = key === 'ArrowDown' ? step : key === 'ArrowUp' ? -step : 0;
    const { edit, ratio } = this.host;
    const { full } = this.picture;
    this.host.change(resizes ? geometry.grow(full, edit, x, y, ratio) : geometry.move(full, edit, x, y), true);
  }
}
