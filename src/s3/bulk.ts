import { portableDigests } from './digests.js';
import type { Digests } from './digests.js';
import { list } from './engine/list.js';
import type { Listed } from './engine/list.js';
import { remove } from './engine/remove.js';
import type { RemoveOptions } from './engine/remove.js';
import type { RunOptions } from './engine/run.js';
import { upload } from './engine/upload.js';
import type { UploadOptions } from './engine/upload.js';
import { Store } from './store.js';
import type { StoreOptions } from './store.js';
import type { Place, SourceFile, Summary } from './types.js';
import type { Wire } from './wire.js';

export interface BulkOptions extends Omit<StoreOptions, 'wire' | 'digests'> {
  /** Another carrier of requests; by default that of the platform. */
  wire?: Wire;
}

/** Moves files in bulk between here and an S3-compatible store. Every method tells its outcome in a `Summary`. */
export interface BulkTransfer {
  readonly store: Store;
  upload(
    source: AsyncIterable<SourceFile> | Iterable<SourceFile>,
    to: Place,
    options?: UploadOptions & { exact?: boolean },
  ): Promise<Summary>;
  list(place: Place, options?: RunOptions & { delimiter?: string }): AsyncGenerator<Listed>;
  delete(place: Place, options?: RemoveOptions & { keys?: AsyncIterable<string> | Iterable<string> }): Promise<Summary>;
  /** Closes idle connections. */
  close(): void;
}

/** What the platforms differ in. */
export interface Platform {
  wire: Wire;
  digests: Digests;
}

export function makeBulkTransfer(options: BulkOptions, platform: Platform): BulkTransfer {
  const store = new Store({ ...platform, ...options });
  return {
    store,
    upload: (source, to, more = {}) => upload(store, source, to, more),
    list: (place, more) => list(store, place, more),
    delete: (place, more) => remove(store, place, more),
    close: () => store.wire.close(),
  };
}

export { portableDigests };
