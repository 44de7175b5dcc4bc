import type { BytesDriver } from '../drivers/bytes/driver.js';
import type { Metadata } from '../drivers/metadata/metadata.js';
import type { StorageContext } from './context.js';
import { Heartbeat } from './uploads/heartbeat.js';

type Given =
  | 'replica'
  | 'now'
  | 'reportReadFailure'
  | 'reportEvents'
  | 'countUploads'
  | 'derivedLimits'
  | 'reportPendingScan'
  | 'scanPolicy';

/** Creates the state that all operations of the storage share. */
export const createContext = (metadata: Metadata, bytes: BytesDriver, given: Pick<StorageContext, Given>): StorageContext => ({
  ...given,
  metadata,
  bytes,
  pendingReleases: new Set(),
  unrecordedBlobs: new Set(),
  heartbeat: new Heartbeat(),
  runningUploads: new Set(),
});
