import { isScope, PRESETS, SCOPES } from '../scopes.js';
import type { Scope } from '../scopes.js';
import type { OauthClient, OauthClients } from './clients.js';
import { OauthError } from './oauth-error.js';
import { assertRedirectUri, isRegistered } from './redirect-uris.js';
import { assertResource } from './resource.js';

/** A validated authorization request. */
export interface AuthorizationRequest {
  clientId: string;
  clientName: string;
  redirectUri: string;
  /** Returned to the client unchanged. */
  state: string | null;
  /** The user may grant fewer. */
  scopes: Scope[];
  /** The `code_challenge` of method S256. */
  challenge: string;
  /** The origin of this service; null if the client named no resource. */
  resource: string | null;
}

/** Parameters of a query, as Fastify parses it: a repeated parameter has a list. */
export type Parameters = Readonly<Record<string, unknown>>;

/** The client of a request and the URI that receives its result. */
export interface RequestTarget {
  client: OauthClient;
  redirectUri: string;
}

/** Reads a parameter. An empty one counts as omitted: https://www.rfc-editor.org/rfc/rfc6749#section-3.1 @throws OauthError if it is repeated */
function read(parameters: Parameters, name: string): string | undefined {
  const value = parameters[name];
  if (value === undefined || value === '') return undefined;
  if (typeof value !== 'string') throw new OauthError('invalid_request', `The parameter ${name} must not be repeated.`);
  return value;
}

/**
 * Finds the client and the redirect URI of an authorization request. Without them, an error must be shown and never redirected.
 * @throws OauthError `invalid_client`, `invalid_request`, `invalid_redirect_uri`
 */
export function findTarget(clients: OauthClients, parameters: Parameters): RequestTarget {
  const client = clients.find(read(parameters, 'client_id') ?? '');
  if (!client)
    throw new OauthError('invalid_client', 'The client_id is unknown. The application must register again.', { status: 400 });
  const redirectUri = read(parameters, 'redirect_uri');
  if (redirectUri === undefined) throw new OauthError('invalid_request', 'The parameter redirect_uri is missing.');
  assertRedirectUri(redirectUri);
  if (!isRegistered(redirectUri, client.redirectUris))
    throw new OauthError('invalid_redirect_uri', 'The redirect_uri is not one that the application registered.');
  return { client, redirectUri };
}

/** Reads the `state` of a request whose other parameters may be invalid. */
export const stateOf = ({ state }: Parameters): string | undefined =>
  typeof state === 'string' && state !== '' ? state : undefined;

/**
 * Validates the other parameters of an authorization request. Errors are sent to the redirect URI.
 * @param origin the origin of this service, the only resource.
 * @throws OauthError
 */
export function parseAuthorizationRequest(
  { client, redirectUri }: RequestTarget,
  parameters: Parameters,
  origin: string,
): AuthorizationRequest {
  if (read(parameters, 'response_type') === undefined)
    throw new OauthError('invalid_request', 'The parameter response_type is missing. It must be code.');
  if (parameters['response_type'] !== 'code')
    throw new OauthError('unsupported_response_type', 'The response_type must be code.');
  const challenge = read(parameters, 'code_challenge') ?? '';
  if (!/^[A-Za-z0-9_-]{43}$/.test(challenge))
    throw new OauthError('invalid_request', 'The code_challenge must be the SHA-256 of a code_verifier in base64url.');
  if (read(parameters, 'code_challenge_method') !== 'S256')
    throw new OauthError('invalid_request', 'The code_challenge_method must be S256.');
  const resource = read(parameters, 'resource');
  if (resource !== undefined) assertResource(resource, origin);
  return {
    clientId: client.id,
    clientName: client.name,
    redirectUri,
    state: read(parameters, 'state') ?? null,
    scopes: parseScopes(read(parameters, 'scope')),
    challenge,
    resource: resource === undefined ? null : origin,
  };
}

/**
 * Reads the requested scopes. Many clients add scopes of OpenID Connect such as `offline_access`, so unknown scopes are ignored beside known ones.
 * A client that names none may get only the scopes for reading. The owner of an account has every scope.
 */
function parseScopes(text: string | undefined): Scope[] {
  if (text === undefined) return [...PRESETS['read']!];
  const requested = text.split(' ').filter(isScope);
  if (requested.length === 0) throw new OauthError('invalid_scope', 'The scope must contain at least one of scopes_supported.');
  return SCOPES.filter((scope) => requested.includes(scope));
}
