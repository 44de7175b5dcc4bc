import { OauthError } from './oauth-error.js';

/**
 * Validates a resource indicator. Keys are valid for this service alone, whose name is its origin.
 * @see https://www.rfc-editor.org/rfc/rfc8707#section-2
 * @throws OauthError `invalid_target`
 */
export function assertResource(resource: string, origin: string): void {
  if (resource !== origin && resource !== `${origin}/`)
    throw new OauthError('invalid_target', `The resource must be ${origin}, the origin of this service.`);
}
