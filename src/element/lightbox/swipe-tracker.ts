/** Pixels after which a touch counts as a swipe. */
const SWIPE_DISTANCE = 48;
/** Pixels after which a touch counts as a movement. */
const MOVE_DISTANCE = 8;

/** Turns horizontal swipes of fingers and pens into steps. The picture follows the finger. */
export class SwipeTracker {
  #start: { id: number; x: number } | undefined;
  /** The last touch moved the picture, so the click at its end is ignored. */
  hasMoved = false;

  /** @param onSwipe gets 1 for the next picture and -1 for the previous one */
  constructor(private readonly onSwipe: (steps: number) => void) {}

  readonly onPointerDown = (event: PointerEvent): void => {
    this.hasMoved = false;
    // A second finger zooms the page.
    this.#start = event.pointerType === 'mouse' || !event.isPrimary ? undefined : { id: event.pointerId, x: event.clientX };
  };

  readonly onPointerMove = (event: PointerEvent): void => {
    const distance = this.#distanceOf(event);
    if (Math.abs(distance) > MOVE_DISTANCE) this.hasMoved = true;
    this.#shift(event, this.hasMoved ? distance : 0);
  };

  readonly onPointerUp = (event: PointerEvent): void => {
    const distance = this.#distanceOf(event);
    this.onPointerCancel(event);
    if (Math.abs(distance) < SWIPE_DISTANCE) return;
    const isRtl = getComputedStyle(event.currentTarget as Element).direction === 'rtl';
    this.onSwipe(distance < 0 === isRtl ? -1 : 1);
  };

  readonly onPointerCancel = (event: PointerEvent): void => {
    this.#start = undefined;
    this.#shift(event, 0);
  };

  #distanceOf({ pointerId, clientX }: PointerEvent): number {
    return this.#start?.id === pointerId ? clientX - this.#start.x : 0;
  }

  #shift({ currentTarget }: PointerEvent, pixels: number): void {
    (currentTarget as HTMLElement).style.setProperty('--_shift', `${pixels}px`);
  }
}
