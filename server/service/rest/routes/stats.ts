import { Type } from '@fastify/type-provider-typebox';
import type { App, RouteContext } from '../context.js';
import { response, Stats, WorkspaceQuery } from '../openapi/schemas.js';

/** Statistics of an account. */
export function statsRoutes(app: App, context: RouteContext): void {
  app.get(
    '/v1/stats',
    {
      config: { access: { scope: 'blob:read' } },
      schema: {
        summary: 'Read storage statistics',
        tags: ['stats'],
        querystring: Type.Object(WorkspaceQuery, { additionalProperties: false }),
        response: { 200: response(Stats) },
      },
    },
    async (request) => {
      const { storage } = request.actor;
      const usage = await context.blobs.usage(storage.accountId);
      return {
        response: {
          files: usage.files,
          bytes: usage.bytes,
          quota_bytes: usage.quotaBytes,
          public_files: usage.publicFiles,
          private_files: usage.files - usage.publicFiles,
          uploads_in_progress: usage.uploadsInProgress,
          upload_tokens_active: await context.tokens.countActive(storage),
        },
      };
    },
  );
}
