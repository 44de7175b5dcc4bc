import { revalidateFile } from '../../queue/file-rules.js';
import type { Limits } from '../../queue/types.js';

export type RecordingKind = 'photo' | 'video' | 'sound';

/** A file format that the browser can write. */
export interface RecordingFormat {
  /** Type for the encoder, with its codecs. */
  encoderType: string;
  /** Type of the file, without parameters. */
  type: string;
  extension: string;
}

const format = (encoderType: string, extension: string): RecordingFormat => ({
  encoderType,
  type: encoderType.split(';')[0]!,
  extension,
});

/** The best format comes first: the one that most programs can open. Not every browser writes WebP. */
const FORMATS: Readonly<Record<RecordingKind, readonly RecordingFormat[]>> = {
  photo: [format('image/jpeg', 'jpg'), format('image/jpeg', 'jpeg'), format('image/png', 'png'), format('image/webp', 'webp')],
  video: [
    format('video/mp4;codecs=avc1.640033,mp4a.40.2', 'mp4'),
    format('video/mp4;codecs=avc1.42E01F,mp4a.40.2', 'mp4'),
    format('video/webm;codecs=vp9,opus', 'webm'),
    format('video/webm;codecs=vp8,opus', 'webm'),
    format('video/mp4', 'mp4'),
  ],
  sound: [
    format('audio/mp4;codecs=mp4a.40.2', 'm4a'),
    format('audio/webm;codecs=opus', 'webm'),
    format('audio/webm;codecs=opus', 'weba'),
    format('audio/ogg;codecs=opus', 'ogg'),
    format('audio/ogg;codecs=opus', 'opus'),
    format('audio/mp4', 'm4a'),
  ],
};

function canEncode(kind: RecordingKind, { encoderType, type }: RecordingFormat): boolean {
  if (kind !== 'photo') return typeof MediaRecorder === 'function' && MediaRecorder.isTypeSupported(encoderType);
  if (type !== 'image/webp') return true;
  return document.createElement('canvas').toDataURL(type).startsWith(`data:${type}`);
}

const isAllowed = ({ type, extension }: RecordingFormat, limits: Limits): boolean =>
  revalidateFile({ name: `a.${extension}`, size: 1, type, identity: '' }, limits) === undefined;

/** Returns the format for a photo or a recording; undefined if the browser writes none that the element accepts. */
export const findFormat = (kind: RecordingKind, limits: Limits): RecordingFormat | undefined =>
  FORMATS[kind].find((one) => isAllowed(one, limits) && canEncode(kind, one));

/** Returns whether the element accepts photos or recordings of another program, such as the camera of a phone. */
export const acceptsKind = (kind: RecordingKind, limits: Limits): boolean => FORMATS[kind].some((one) => isAllowed(one, limits));
