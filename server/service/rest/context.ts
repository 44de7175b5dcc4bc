import type { FastifyBaseLogger, FastifyInstance, FastifyRequest, RawServerDefault } from 'fastify';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { Core } from '../core.js';
import type { MinimumRate } from '../http/minimum-rate.js';
import type { Actor } from '../identity/authenticate.js';
import type { RouteAccess } from '../identity/authorize.js';

export type App = FastifyInstance<RawServerDefault, IncomingMessage, ServerResponse, FastifyBaseLogger, TypeBoxTypeProvider>;

/** Dependencies of the routes. */
export interface RouteContext extends Core {
  /** Returns the base of URLs in responses, without a final slash. */
  baseUrl(request: FastifyRequest): string;
  /** Returns the base of addresses of stored files, without a final slash. */
  contentUrl(request: FastifyRequest): string;
  /** The origin of stored files; undefined if they have none of their own. */
  deliveryUrl: string | undefined;
  /** Returns the address of the S3 endpoint without a final slash; null if it is unknown, or if there is none. */
  s3Url(request: FastifyRequest): string | null;
  /**
   * Returns the issuer of the authorization server: `publicUrl`, otherwise the listening address, without a final slash. It never depends on a
   * request, because a client trusts every endpoint below it. @throws `SERVICE_UNAVAILABLE` before `listen`
   */
  issuer(): string;
  /** The slowest rate at which clients may send a body. */
  minimumRate: MinimumRate;
  /** Counts an anonymous listing from an address. @throws `RATE_LIMIT_EXCEEDED` for too many from its network. */
  countListing(address: string): Promise<void>;
  /** Counts an upload token for a visitor at an address. @throws `RATE_LIMIT_EXCEEDED` for too many to its network. */
  countVisitorToken(address: string): Promise<void>;
  /** Returns whether the service is about to stop, so that load balancers should send requests elsewhere. */
  isDraining(): boolean;
  /** Whether clients may let the service fetch files from URLs. */
  mayFetch: boolean;
  /** The host names of `publicUrl` and `deliveryUrl`. */
  ownHosts: readonly string[];
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The credentials that the route requires. Every route sets it. */
    access?: RouteAccess | 'everyone';
  }
  interface FastifyRequest {
    /** The sender of the request. Not set on routes for everyone. */
    actor: Actor;
  }
}
