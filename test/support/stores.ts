import type { TestProject } from 'vitest/node';
import { NO_S3_ENGINE, startS3 } from './ceph.js';
import { startPostgres } from './postgres.js';

const started = new Map<string, Promise<() => Promise<void>>>();

/** The engines that each project needs. */
const NEEDS: Record<string, readonly Engine[]> = {
  postgres: ['postgres'],
  replicas: ['postgres', 's3'],
  matrix: ['postgres', 's3'],
};
type Engine = 'postgres' | 's3';

/** Starts the engines of a project, once for all its files. The environment tells the workers where they are. */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const stops: (() => Promise<void>)[] = [];
  const start = { postgres, s3 };
  for (const engine of NEEDS[project.name] ?? []) stops.push(await once(engine, start[engine]));
  return async () => {
    for (const stop of stops) await stop();
  };
}

function once(name: string, start: () => Promise<() => Promise<void>>): Promise<() => Promise<void>> {
  const known = started.get(name) ?? start();
  started.set(name, known);
  return known;
}

async function postgres(): Promise<() => Promise<void>> {
  if (process.env['TEST_DATABASE_URL']) return async () => {};
  const server = await startPostgres();
  process.env['TEST_DATABASE_URL'] = server.url;
  let stopping: Promise<void> | undefined;
  return () => (stopping ??= server.stop());
}

async function s3(): Promise<() => Promise<void>> {
  const engine = await startS3();
  // Where it is promised, replicas that share a folder instead would prove nothing.
  if (!engine && process.env['TEST_S3_REQUIRED']) throw new Error(NO_S3_ENGINE);
  if (!engine) return async () => {};
  process.env['TEST_S3_ENDPOINT'] = engine.endpoint;
  process.env['AWS_REGION'] = engine.region;
  process.env['AWS_ACCESS_KEY_ID'] = engine.accessKeyId;
  process.env['AWS_SECRET_ACCESS_KEY'] = engine.secretAccessKey;
  return () => engine.stop();
}
