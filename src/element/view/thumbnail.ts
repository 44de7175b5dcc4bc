import { noChange } from 'lit';
import { Directive, directive } from 'lit/directive.js';
import type { ElementPart } from 'lit/directive.js';
import { PREVIEW } from '../../protocol/limits.js';
import { loadChunk } from '../../queue/load-chunk.js';
import type { ImageSource } from './draw-thumbnail.js';

/** Side of a thumbnail in pixels: 40 CSS pixels on a screen with two pixels each. */
export const THUMBNAIL_PIXELS = PREVIEW.sizes.row.w;

/** Draws a file's thumbnail on a canvas. Unlike an image URL, a canvas needs no revocation and no permission of a Content-Security-Policy. */
class Thumbnail extends Directive {
  #source: ImageSource | undefined;

  override render(_source: ImageSource): unknown {
    return noChange;
  }

  override update({ element }: ElementPart, [source]: [ImageSource]): unknown {
    if (source === this.#source) return noChange;
    this.#source = source;
    const canvas = element as HTMLCanvasElement;
    canvas.classList.remove('drawn');
    const isWanted = () => canvas.isConnected && this.#source === source;
    // If the chunk does not load, rows have no thumbnail.
    void loadChunk('drawThumbnail', () => import('./draw-thumbnail.js')).then(
      (drawThumbnail) => drawThumbnail(canvas, source, isWanted),
      () => {},
    );
    return noChange;
  }
}

export const thumbnail = directive(Thumbnail);
