import { Type } from '@fastify/type-provider-typebox';
import { BlobError } from '../../../../src/protocol/errors.js';
import { UPLOAD_TOKEN } from '../../../../src/protocol/limits.js';
import type { TokenGrant } from '../../../../src/protocol/types.js';
import { SYSTEM_CREATOR } from '../../identity/creator.js';
import { parseTokenRequest } from '../../identity/token-request.js';
import type { Share } from '../../sharing/shares.js';
import type { App, RouteContext } from '../context.js';
import { assertNoForeignOrigin } from '../session-cookie.js';
import { visitorOf } from './share-visitor.js';

/** Files that one request of the page may name. The token is for at most 100 of them. */
const MAX_NAMED_FILES = 1000;

/**
 * Defines `POST /s/{share}/upload-tokens`: the token route of the page of an upload request. It responds as `createTokenRoute` does. It is no part of
 * the OpenAPI document, because only that page uses it.
 */
export function uploadRequestRoutes(app: App, context: RouteContext): void {
  app.post(
    '/s/:id/upload-tokens',
    {
      config: { access: 'everyone' },
      schema: {
        params: Type.Object({ id: Type.String() }),
        body: Type.Object({ files: Type.Array(Type.Unknown(), { minItems: 1, maxItems: MAX_NAMED_FILES }) }),
      },
    },
    async (request, reply) => {
      // A page of another site must not use the cookie of a visitor.
      assertNoForeignOrigin({ baseUrl: context.contentUrl }, request);
      await context.countVisitorToken(request.ip);
      const share = await context.shares.open(request.params.id, visitorOf(request));
      if (share === 'password') throw new BlobError('AUTH_TOKEN_MISSING', 'This share requires a password.');
      if (share.mode !== 'upload') throw new BlobError('NOT_FOUND', 'There is no such upload request.');
      const grant = await issueToken(context, share, request.body.files.length);
      return reply.header('Cache-Control', 'no-store').send({ ...grant, url: context.baseUrl(request) });
    },
  );
}

/**
 * Issues a token for a visitor: private files below the prefix, within the limits of the share. It ends with the share and with the share's
 * creator. The share counts its files where the token takes a use.
 */
async function issueToken({ tokens, now }: RouteContext, share: Share, files: number): Promise<Omit<TokenGrant, 'url'>> {
  const left = share.maxFiles === null ? Infinity : share.maxFiles - share.filesReceived;
  const secondsLeft = share.expiresAt === null ? Infinity : (share.expiresAt - now()) / 1000;
  const request = {
    ...parseTokenRequest({ prefix: share.prefix!, visibility: 'private' }, now()),
    maxSize: share.maxSize,
    allowedExtensions: share.allowedExtensions,
    maxUses: Math.min(files, left, UPLOAD_TOKEN.maxUses.max),
    expiresIn: Math.min(UPLOAD_TOKEN.expiresIn.default, secondsLeft),
  };
  const created = await tokens.create(share.storage, { ...SYSTEM_CREATOR, ...share.creator }, request, share.id);
  const { token, expires_at, max_uses, max_size, allowed_extensions } = created;
  return { token, expires_at, max_uses, max_size, allowed_extensions };
}
