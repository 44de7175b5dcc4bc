import { join } from 'node:path';

/** Returns the folder of a blob. The first three characters of the random id spread the blobs over many folders. */
export const blobFolder = (dataFolder: string, id: string): string => join(dataFolder, id.slice(0, 3));

export const blobPath = (dataFolder: string, id: string): string => join(blobFolder(dataFolder, id), id);
