import type { OutputFormat } from './negotiate-format.js';
import type { ImageTransform } from './transform.js';

/** Message to `resize-process.js`. It responds to requests one after the other. */
export interface ImageRequest extends Pick<ImageTransform, 'width' | 'height' | 'fit' | 'quality'> {
  bytes: Uint8Array;
  format: OutputFormat;
  limits: {
    /** Pixels of the source. */
    pixels: number;
    /** Pixels of each side of the result. */
    side: number;
    /** Resident bytes of the process. */
    memory: number;
    /** The process ends with this code if it needs more memory. */
    memoryExitCode: number;
  };
}

/** The reason of a rejection: no supported format, damaged, or too many pixels. */
export type ImageRejection = 'unsupported' | 'unreadable' | 'pixels';

export type ImageResponse =
  | { type: 'ready' }
  /** The package sharp is missing or does not run on this machine. */
  | { type: 'unavailable'; code: string | undefined; message: string }
  | { type: 'image'; bytes: Uint8Array; contentType: string }
  | { type: 'rejected'; reason: ImageRejection; message: string };
