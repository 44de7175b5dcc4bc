import type { FastifyInstance, FastifyRequest, RawServerDefault, FastifyBaseLogger } from 'fastify';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { Actor } from '../identity/authenticate.js';
import type { RouteAccess } from '../identity/authorize.js';
import type { MinimumRate } from '../http/minimum-rate.js';
import type { Core } from '../core.js';

export type App = FastifyInstance<RawServerDefault, IncomingMessage, ServerResponse, FastifyBaseLogger, TypeBoxTypeProvider>;

/** What routes are made with. */
export interface RouteContext extends Core {
  /** The base of the addresses in answers, without a closing slash. */
  baseUrl(request: FastifyRequest): string;
  /** What a body has to bring to be read on. */
  minimumRate: MinimumRate;
  /** Counts a listing without a credential from an address. @throws `RATE_LIMIT_EXCEEDED` when the budget of its network is used up. */
  countListing(address: string): Promise<void>;
  /** Whether the service is about to stop, so that load balancers should send new requests elsewhere. */
  isDraining(): boolean;
  /** The host name of `publicUrl`. */
  ownHost: string | undefined;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Every route says who may come in. */
    access?: RouteAccess | 'everyone';
  }
  interface FastifyRequest {
    /** Set before a route with an access rule runs. */
    actor: Actor;
  }
}
