import { prepareImage } from '../../images/prepare-image.js';
import type { ImageOptions } from '../../images/prepare-image.js';
import type { Chosen } from '../../queue/types.js';

/** Decoded images are large, so only this many are in memory at once. */
const MAX_CONCURRENT = 2;

/**
 * Replaces every chosen image by the file to upload, in the same order.
 *
 * @returns an empty list if the signal is aborted
 */
export async function prepareImages(chosen: readonly Chosen[], options: ImageOptions, signal: AbortSignal): Promise<Chosen[]> {
  const prepared: Chosen[] = [...chosen];
  const settings = JSON.stringify(options);
  let next = 0;
  const work = async () => {
    while (next < chosen.length && !signal.aborted) {
      const index = next++;
      prepared[index] = await prepareOne(chosen[index]!, options, settings);
    }
  };
  await Promise.all(Array.from({ length: MAX_CONCURRENT }, work));
  return signal.aborted ? [] : prepared;
}

async function prepareOne(chosen: Chosen, options: ImageOptions, settings: string): Promise<Chosen> {
  // An edited picture fits and has no location.
  if (chosen.preparationError || chosen.preparation) return chosen;
  const { file, rejection, error } = await prepareImage(chosen.file, options);
  const result: Chosen = { ...chosen, file, preparation: { settings, isChanged: file !== chosen.file, original: chosen.file } };
  if (rejection) result.rejection = rejection;
  if (error) result.preparationError = error;
  return result;
}
