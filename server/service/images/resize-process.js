// @ts-check
// Child process: decodes, resizes and encodes images. Plain JavaScript, so that Node runs it from the source folder as well.
// It is a process and no thread, because a hostile image may crash a decoder or exhaust memory, and a running decoder can only be killed.
import { writeFileSync } from 'node:fs';

/** @typedef {import('./image-messages.js').ImageRequest} ImageRequest */
/** @typedef {import('./image-messages.js').ImageResponse} ImageResponse */
/** @typedef {import('./image-messages.js').ImageRejection} ImageRejection */

/** The decoders that may run, by libvips' names of classes. SVG and PDF can refer to files, and rare formats have weak decoders. */
const LOADERS = ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Heif'].map((name) => `VipsForeignLoad${name}`);
/** Formats as sharp names them. The packages of sharp decode AVIF, but no other HEIF. */
const INPUT_FORMATS = ['jpeg', 'png', 'webp', 'gif', 'heif'];
/** Interval at which the memory of the process is measured while it works. */
const MEMORY_CHECK_MS = 20;
/** Effort of AVIF, 0..9. More effort takes several times as long for a few percent. */
const AVIF_EFFORT = 2;
/** The same `q` should look alike in each format. The scale of AVIF is lower. */
const AVIF_QUALITY = 0.65;

/** @param {ImageResponse} response */
const respond = (response) => void process.send?.(response);

const sharp = await import('sharp').then(
  (module) => module.default,
  (/** @type {NodeJS.ErrnoException} */ cause) => {
    respond({ type: 'unavailable', code: cause.code, message: cause.message });
    return undefined;
  },
);
if (sharp) {
  prepare(sharp);
  process.on('message', (/** @type {ImageRequest} */ request) => void resize(sharp, request).then(respond));
  respond({ type: 'ready' });
}
process.once('disconnect', () => process.exit());

/** @param {typeof import('sharp').default} loaded */
function prepare(loaded) {
  try {
    // Under memory pressure, the kernel ends this process first.
    writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {
    // Only Linux has the file.
  }
  // The parent runs several processes.
  loaded.concurrency(1);
  loaded.cache(false);
  loaded.block({ operation: ['VipsForeignLoad'] });
  loaded.unblock({ operation: LOADERS });
}

/**
 * @param {typeof import('sharp').default} loaded
 * @param {ImageRequest} request
 * @returns {Promise<ImageResponse>}
 */
async function resize(loaded, request) {
  const { bytes, width, height, fit, format, quality, limits } = request;
  const endIfTooLarge = () => {
    if (process.memoryUsage.rss() > limits.memory) process.exit(limits.memoryExitCode);
  };
  endIfTooLarge();
  const watch = setInterval(endIfTooLarge, MEMORY_CHECK_MS);
  try {
    // Loads one frame of an animation. Metadata is not copied.
    const source = loaded(bytes, { limitInputPixels: limits.pixels, failOn: 'error', pages: 1 });
    const metadata = await source.metadata();
    if (!INPUT_FORMATS.includes(metadata.format)) return rejected('unsupported', metadata.format);
    if (metadata.width * metadata.height > limits.pixels) return rejected('pixels');
    // With one side, nothing is cropped.
    const fitOfBoth = width === null || height === null ? 'contain' : fit;
    const box = { width: width ?? limits.side, height: height ?? limits.side, fit: fitOfBoth };
    const size = targetSize(metadata.autoOrient, box);
    const resized = source
      .autoOrient()
      .resize({ ...size, fit: size.crop ? 'cover' : 'fill' })
      .toColourspace('srgb');
    const encoded = encode(resized, format === 'compatible' ? (metadata.hasAlpha ? 'png' : 'jpeg') : format, quality);
    const { data, info } = await encoded.toBuffer({ resolveWithObject: true });
    return { type: 'image', bytes: data, contentType: `image/${info.format === 'heif' ? 'avif' : info.format}` };
  } catch (cause) {
    const message = /** @type {Error} */ (cause).message;
    if (/exceeds pixel limit/.test(message)) return rejected('pixels');
    if (/unsupported image format|not supported|operation is blocked|unsupported codec/i.test(message))
      return rejected('unsupported', message);
    return rejected('unreadable', message);
  } finally {
    clearInterval(watch);
  }
}

/**
 * @param {ImageRejection} reason
 * @param {string} [message] the message of the decoder
 * @returns {ImageResponse}
 */
const rejected = (reason, message = reason) => ({ type: 'rejected', reason, message });

/**
 * Computes the size of the result. It is never larger than the source, and `cover` keeps the requested proportions.
 * @param {{ width: number; height: number }} source after its orientation is applied
 * @param {{ width: number; height: number; fit: 'cover' | 'contain' }} box
 */
function targetSize(source, { width, height, fit }) {
  const toPixels = (/** @type {number} */ side) => Math.max(1, Math.round(side));
  if (fit === 'cover') {
    const scale = Math.min(1, source.width / width, source.height / height);
    return { width: toPixels(width * scale), height: toPixels(height * scale), crop: true };
  }
  const scale = Math.min(1, width / source.width, height / source.height);
  return { width: toPixels(source.width * scale), height: toPixels(source.height * scale), crop: false };
}

/**
 * @param {import('sharp').Sharp} image
 * @param {'avif' | 'webp' | 'jpeg' | 'png'} format
 * @param {number} quality
 */
function encode(image, format, quality) {
  switch (format) {
    case 'avif':
      return image.avif({ quality: Math.max(1, Math.round(quality * AVIF_QUALITY)), effort: AVIF_EFFORT });
    case 'webp':
      return image.webp({ quality });
    case 'png':
      return image.png();
    case 'jpeg':
      return image.flatten({ background: '#ffffff' }).jpeg({ quality, mozjpeg: false, progressive: true });
  }
}
