import { prepareImage } from '../../images/prepare-image.js';
import type { ImageOptions } from '../../images/prepare-image.js';
import type { Chosen } from '../../queue/types.js';

/** Decoded pictures are large: so many are held at once. */
const AT_ONCE = 2;

/** Makes what was chosen into what is uploaded, in the same order; nothing of it once the signal is aborted. */
export async function prepareImages(picked: readonly Chosen[], wish: ImageOptions, signal: AbortSignal): Promise<Chosen[]> {
  const ready: Chosen[] = [...picked];
  const settings = JSON.stringify(wish);
  let next = 0;
  const work = async () => {
    for (let at = next++; at < picked.length && !signal.aborted; at = next++) {
      const one = picked[at]!;
      if (one.unready) continue;
      const prepared = await prepareImage(one.file, wish);
      ready[at] = { ...one, ...prepared, preparation: { settings, isChanged: prepared.file !== one.file } };
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return signal.aborted ? [] : ready;
}
