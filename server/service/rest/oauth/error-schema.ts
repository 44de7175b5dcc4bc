import { Type } from '@fastify/type-provider-typebox';
import { OAUTH_ERROR_STATUS } from '../../identity/oauth/oauth-error.js';

/** The body of every error below /oauth. */
export const OauthErrorSchema = Type.Object(
  {
    error: Type.String({ enum: Object.keys(OAUTH_ERROR_STATUS) }),
    error_description: Type.String(),
  },
  { $id: 'OauthError' },
);
