import { noChange } from 'lit';
import { Directive, directive } from 'lit/directive.js';
import type { ElementPart } from 'lit/directive.js';
import { part } from '../../queue/transport/load-chunk.js';

/** Pixels of a thumbnail's side: 40 CSS pixels on a fine screen. */
export const THUMBNAIL_PIXELS = 80;

/** Draws a file's picture on a canvas as soon as the row is there: no address to revoke, nothing a Content-Security-Policy forbids. */
class Thumbnail extends Directive {
  #file: File | undefined;

  override render(_file: File): unknown {
    return noChange;
  }

  override update({ element }: ElementPart, [file]: [File]): unknown {
    if (file === this.#file) return noChange;
    this.#file = file;
    const canvas = element as HTMLCanvasElement;
    canvas.classList.remove('drawn');
    const isWanted = () => canvas.isConnected && this.#file === file;
    // The maker of pictures is loaded with the first one; without it rows have none.
    void part('drawThumbnail', () => import('./draw-thumbnail.js')).then(
      (drawThumbnail) => drawThumbnail(canvas, file, isWanted),
      () => {},
    );
    return noChange;
  }
}

export const thumbnail = directive(Thumbnail);
