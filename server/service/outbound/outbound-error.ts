/**
 * The reason why a request to an address of a user failed. `invalid_url`: its scheme, port or form is refused. `address_refused`: its host has
 * no address that the service may connect to. `unresolved`: DNS knows no address. `connection`: no connection, or it broke off. `timeout`:
 * too slow. `redirect`: too many redirects or one without a target.
 */
export type OutboundErrorCode = 'invalid_url' | 'address_refused' | 'unresolved' | 'connection' | 'timeout' | 'redirect';

/** A request to an address of a user that got no usable response. The message contains no address that DNS returned. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError';

  constructor(
    readonly code: OutboundErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
