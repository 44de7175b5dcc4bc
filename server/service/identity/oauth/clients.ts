import { createHmac, hkdfSync } from 'node:crypto';
import { equalBytes } from '../../runtime/equal-bytes.js';
import { sanitizeClientName } from './client-name.js';
import { OauthError } from './oauth-error.js';
import { assertRedirectUris } from './redirect-uris.js';

/** A registered client. It is public, so it has no secret. */
export interface OauthClient {
  id: string;
  /** Sanitized, 1 to 40 characters. */
  name: string;
  redirectUris: string[];
  /** Seconds since 1970. */
  issuedAt: number;
}

/** The fields of a registration that this server uses. It ignores all others: https://www.rfc-editor.org/rfc/rfc7591#section-2 */
export interface ClientMetadata {
  redirect_uris: readonly string[];
  client_name?: string;
  grant_types?: readonly string[];
  response_types?: readonly string[];
}

const PREFIX = 'svcc_';
/** Longer texts are no client ids. The metadata of a client has a limited size. */
const MAX_ID = 8192;

/**
 * Registers clients without storing them. The client id is the metadata with a signature, so that no number of registrations fills a table.
 * @see https://www.rfc-editor.org/rfc/rfc7591#appendix-A.5.2
 */
export class OauthClients {
  readonly #key: Uint8Array;

  constructor(
    secret: Uint8Array,
    private readonly now: () => number,
  ) {
    this.#key = new Uint8Array(hkdfSync('sha256', secret, '', 'svc-uploader oauth clients', 32));
  }

  /** @throws OauthError `invalid_redirect_uri`, `invalid_client_metadata` */
  register(metadata: ClientMetadata): OauthClient {
    const { redirect_uris: redirectUris, client_name = '', grant_types, response_types } = metadata;
    assertRedirectUris(redirectUris);
    // Clients ask for `refresh_token` too. It is dropped, not refused.
    assertIncludes('grant_types', grant_types, 'authorization_code');
    assertIncludes('response_types', response_types, 'code');
    const name = sanitizeClientName(client_name);
    const issuedAt = Math.floor(this.now() / 1000);
    const payload = Buffer.from(JSON.stringify([name, issuedAt, ...redirectUris])).toString('base64url');
    return { id: `${PREFIX}${payload}.${this.#sign(payload)}`, name, redirectUris: [...redirectUris], issuedAt };
  }

  /** Reads the client of an id. @returns undefined for an id that this service has not issued. */
  find(id: string): OauthClient | undefined {
    if (id.length > MAX_ID || !id.startsWith(PREFIX)) return undefined;
    const [payload = '', signature = ''] = id.slice(PREFIX.length).split('.', 2);
    const expected = Buffer.from(this.#sign(payload));
    const received = Buffer.from(signature);
    if (!equalBytes(received, expected)) return undefined;
    const [name, issuedAt, ...redirectUris] = JSON.parse(Buffer.from(payload, 'base64url').toString()) as [
      string,
      number,
      ...string[],
    ];
    // A text after the signature would make another id of the same client.
    return id === `${PREFIX}${payload}.${signature}` ? { id, name, redirectUris, issuedAt } : undefined;
  }

  #sign(payload: string): string {
    return createHmac('sha256', this.#key).update(payload).digest('base64url');
  }
}

/** @param values undefined: the default of RFC 7591, which is the required value. @throws OauthError `invalid_client_metadata` */
function assertIncludes(field: string, values: readonly string[] | undefined, required: string): void {
  if (values && !values.includes(required))
    throw new OauthError('invalid_client_metadata', `${field} must include ${required}, the only one that this server supports.`);
}
