import { noChange } from 'lit';
import { Directive, directive } from 'lit/directive.js';
import type { ElementPart } from 'lit/directive.js';
import { loadChunk } from '../../queue/load-chunk.js';

/** Side of a thumbnail in pixels: 40 CSS pixels on a screen with two pixels each. */
export const THUMBNAIL_PIXELS = 80;

/** Draws a file's thumbnail on a canvas. Unlike an image URL, a canvas needs no revocation and no permission of a Content-Security-Policy. */
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
    // If the chunk does not load, rows have no thumbnail.
    void loadChunk('drawThumbnail', () => import('./draw-thumbnail.js')).then(
      (drawThumbnail) => drawThumbnail(canvas, file, isWanted),
      () => {},
    );
    return noChange;
  }
}

export const thumbnail = directive(Thumbnail);
