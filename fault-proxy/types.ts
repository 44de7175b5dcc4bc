import type { IncomingMessage } from 'node:http';

/** Changes of a request or a response. */
export interface Changes {
  /** A string replaces a header, null removes it. */
  headers?: Readonly<Record<string, string | null>>;
  /** Inverts the byte at this offset of the body. */
  flipByteAt?: number;
  /** Replaces the whole body, which is buffered first. */
  body?: (original: Buffer) => Buffer;
}

/** A response that the proxy sends itself. */
export interface OwnResponse {
  status: number;
  headers?: Readonly<Record<string, string>>;
  /** A Buffer is sent as it is, any other value as JSON. */
  body?: unknown;
}

/** Describes what the proxy does to one request. Fields combine. Offsets count bytes of the body. */
export interface Fault {
  /** Milliseconds before the request is forwarded. */
  delay?: number;
  /** Responds without forwarding the request. CORS headers are added, so that pages can read the response. */
  respond?: OwnResponse;
  /** Forwards this many bytes of the request, then resets both connections. */
  cutRequestAt?: number;
  /** Forwards this many bytes of the response, then resets both connections. */
  cutResponseAt?: number;
  /** Lets the upstream respond completely, then resets the connection of the client. */
  dropResponse?: boolean;
  /** Forwards this many bytes of the request, then nothing until the client closes. */
  stallRequestAt?: number;
  /** Forwards this many bytes of the response, then nothing until the client closes. */
  stallResponseAt?: number;
  /** Limits the rate of the body in both directions. */
  bytesPerSecond?: number;
  /** Waits after this many bytes, in both directions. Requests that share a function are limited together. */
  beforeChunk?: (bytes: number) => Promise<unknown>;
  request?: Changes;
  response?: Changes;
}

/** A request, as the proxy observes it. Byte counts are of bodies, without headers and framing. */
export interface SeenRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** Bytes forwarded to the upstream. */
  requestBytes: number;
  /** Bytes forwarded to the client. */
  responseBytes: number;
  /** Status of the upstream or of the proxy; undefined without a response. */
  status: number | undefined;
  /** Whether a fault was applied. */
  faulted: boolean;
  /** `broken` if the client got no complete response. */
  outcome: 'open' | 'completed' | 'broken';
}

/** Selects requests and the fault for them. */
export interface Rule {
  /** Without a method, a rule matches all methods except OPTIONS. */
  method?: string;
  /** A prefix or a pattern. */
  path?: string | RegExp;
  when?: (request: SeenRequest) => boolean;
  fault: Fault | ((request: SeenRequest) => Fault);
  /** Number of matching requests that pass first. @default 0 */
  skip?: number;
  /** Number of requests that get the fault after those. @default all */
  times?: number;
}

export interface ActiveRule {
  /** Number of requests that got the fault. */
  readonly hits: number;
  remove(): void;
}
