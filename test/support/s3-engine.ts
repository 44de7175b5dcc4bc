import { isCephInstalled, startCeph } from './ceph.js';
import { startOwnEngine } from './own-s3-engine.js';
import { sharedServer } from './shared-server.js';

/** A real S3 engine for tests. */
export interface S3Engine {
  endpoint: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** Whether it is this product's S3 endpoint instead of Ceph's gateway or the engine of TEST_S3_ENDPOINT. */
  isOwn: boolean;
  /** Process ids of its servers; empty for an engine that the tests did not start. */
  pids: number[];
  stop(): Promise<void>;
}

/** `ceph` stands for Ceph's gateway where it is installed or can be installed, otherwise for this product's S3 endpoint. */
export type S3EngineKind = 'ceph' | 'own';

const wantedKind = (): S3EngineKind => (process.env['TEST_S3_ENGINE'] === 'own' ? 'own' : 'ceph');

/** Describes the engine at TEST_S3_ENDPOINT. @returns undefined if the variable is not set */
function readStatedEngine(): S3Engine | undefined {
  const endpoint = process.env['TEST_S3_ENDPOINT'];
  if (!endpoint) return undefined;
  return {
    endpoint,
    region: process.env['AWS_REGION'] ?? 'us-east-1',
    accessKeyId: process.env['AWS_ACCESS_KEY_ID'] ?? '',
    secretAccessKey: process.env['AWS_SECRET_ACCESS_KEY'] ?? '',
    isOwn: false,
    pids: [],
    stop: async () => {},
  };
}

/**
 * Starts an S3 engine for the caller alone.
 *
 * @throws Error if TEST_S3_REQUIRED is set, as in CI, and Ceph cannot be installed
 */
export async function startS3Engine(kind: S3EngineKind = wantedKind()): Promise<S3Engine> {
  if (kind === 'own') return startOwnEngine();
  if (isCephInstalled()) return startCeph();
  const message = 'Ceph needs root on Debian';
  if (process.env['TEST_S3_REQUIRED']) throw new Error(`${message}, but TEST_S3_REQUIRED is set.`);
  console.warn(`${message}. The tests use this product's S3 endpoint instead.`);
  return startOwnEngine();
}

/** Gives the engine of TEST_S3_ENDPOINT, or the one that all files of a run share. TEST_S3_ENGINE=own selects this product's endpoint. */
export async function useS3Engine(): Promise<S3Engine> {
  const kind = wantedKind();
  const stated = kind === 'own' ? undefined : readStatedEngine();
  if (stated) return stated;
  const shared = await sharedServer<Omit<S3Engine, 'stop'>>(`s3/${kind}`);
  return shared ? { ...shared, stop: async () => {} } : startS3Engine(kind);
}
