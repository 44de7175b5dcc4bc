/** Error codes of OAuth with their HTTP statuses. The last two are no codes of a specification. */
export const OAUTH_ERROR_STATUS = {
  // https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2.1 and #section-5.2
  invalid_request: 400,
  invalid_client: 401,
  invalid_grant: 400,
  unsupported_grant_type: 400,
  unsupported_response_type: 400,
  invalid_scope: 400,
  access_denied: 403,
  server_error: 500,
  temporarily_unavailable: 503,
  // https://www.rfc-editor.org/rfc/rfc7591#section-3.2.2
  invalid_redirect_uri: 400,
  invalid_client_metadata: 400,
  // https://www.rfc-editor.org/rfc/rfc8707#section-2
  invalid_target: 400,
  too_many_requests: 429,
  not_found: 404,
} as const;

export type OauthErrorCode = keyof typeof OAUTH_ERROR_STATUS;

/** The JSON body of an error of the authorization server. */
export interface OauthErrorBody {
  error: OauthErrorCode;
  error_description: string;
}

/** Reasons that a person caused and can fix, so a page states them in the language of the person. */
export type PersonalReason = 'expired' | 'signed-out';

/** An error of the authorization server. */
export class OauthError extends Error {
  override readonly name = 'OauthError';
  readonly status: number;
  /** Seconds after which a repeat may succeed. */
  readonly retryAfter: number | undefined;
  readonly reason: PersonalReason | undefined;

  /** @param options.status HTTP status. @default the status of the code */
  constructor(
    readonly code: OauthErrorCode,
    description: string,
    options: { status?: number; retryAfter?: number; reason?: PersonalReason } = {},
  ) {
    super(description);
    this.status = options.status ?? OAUTH_ERROR_STATUS[code];
    this.retryAfter = options.retryAfter;
    this.reason = options.reason;
  }

  /** Returns the body. Its description has only the characters that RFC 6749 allows. */
  toBody(): OauthErrorBody {
    return { error: this.code, error_description: this.message.replace(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, "'") };
  }
}
