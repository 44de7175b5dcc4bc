import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBlobService } from '../../server/service/index.js';
import { code, table } from './markdown.js';

interface Operation {
  summary?: string;
  description?: string;
  tags?: string[];
  security: Record<string, string[]>[];
}
interface OpenApi {
  paths: Record<string, Record<string, Operation>>;
}

/** Reads the OpenAPI document of a service that opens no port. */
async function readOpenApi(): Promise<OpenApi> {
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-blob-docs-'));
  const service = await createBlobService({ s3Port: false, dataDir });
  try {
    return (await service.app.inject('/openapi.json')).json<OpenApi>();
  } finally {
    await service.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Makes one table of routes for each tag of the OpenAPI document. */
export async function routeTables(): Promise<string> {
  const { paths } = await readOpenApi();
  const byTag = new Map<string, string[][]>();
  for (const [path, operations] of Object.entries(paths))
    for (const [method, operation] of Object.entries(operations)) {
      const tag = operation.tags?.[0] ?? 'service';
      const row = [code(`${method.toUpperCase()} ${path}`), credentialOf(operation), operation.summary ?? ''];
      byTag.set(tag, [...(byTag.get(tag) ?? []), row]);
    }
  return [...byTag].map(([tag, rows]) => `### ${title(tag)}\n\n${table(['Route', 'Credential', ''], rows)}`).join('\n\n');
}

const title = (tag: string) => tag[0]!.toUpperCase() + tag.slice(1);

function credentialOf({ security }: Operation): string {
  const scopes = security.flatMap(({ apiKey }) => apiKey ?? []).map(code);
  const isForTokens = security.some((one) => 'uploadToken' in one);
  // Every route that takes a scope takes a session as well.
  const isForSessions = scopes.length === 0 && security.some((one) => 'session' in one);
  return [...scopes, ...(isForTokens ? ['an upload token'] : []), ...(isForSessions ? ['a session'] : [])].join(' or ') || 'none';
}
