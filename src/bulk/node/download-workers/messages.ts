import type { getDefaultResultOrder } from 'node:dns';
import { getDefaultAutoSelectFamily } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { S3Error, toS3Error } from '../../errors.js';
import type { FileRange, WireAnswer, WireRequest } from '../../http/http-client.js';

/** What a thread is told once. */
export interface Setting {
  tls: ConnectionOptions;
  stallSeconds: number;
  /** In which order names are tried that have several addresses, and whether at once, as `node:dns` and `node:net` have it. */
  resultOrder: ReturnType<typeof getDefaultResultOrder>;
  autoSelectFamily: boolean;
}

/**
 * What a thread has to be told, for it to connect as this one does: it knows neither all flags of its process nor what was set by calls.
 * @param secure whether it is to speak TLS, whose module is loaded for that
 */
export function settingFor(tls: ConnectionOptions, stallSeconds: number, secure: boolean): Setting {
  return {
    tls: secure ? { ...tlsDefaults(tls), ...tls } : {},
    stallSeconds,
    resultOrder: process.getBuiltinModule('node:dns').getDefaultResultOrder(),
    autoSelectFamily: getDefaultAutoSelectFamily(),
  };
}

function tlsDefaults({ ca, secureProtocol }: ConnectionOptions): ConnectionOptions {
  const tls: typeof import('node:tls') & { getCACertificates?: (type: 'default') => string[] } =
    process.getBuiltinModule('node:tls');
  return {
    ciphers: tls.DEFAULT_CIPHERS,
    ecdhCurve: tls.DEFAULT_ECDH_CURVE,
    // The two exclude each other.
    ...(secureProtocol === undefined && { minVersion: tls.DEFAULT_MIN_VERSION, maxVersion: tls.DEFAULT_MAX_VERSION }),
    // Came with Node 22.15: before, nobody could change them by a call.
    ...(ca === undefined && tls.getCACertificates && { ca: tls.getCACertificates('default') }),
  };
}

/** What it is asked for. */
export type Order =
  | {
      id: number;
      request: Pick<WireRequest, 'method' | 'origin' | 'target' | 'headers'>;
      into: Omit<FileRange, 'moved'>;
      /** Address of the proxy that the request goes through. */
      proxy: string | undefined;
    }
  | { stop: number };

/** What it answers. */
export type Report = { id: number } & (
  | { moved: number }
  | { answer: WireAnswer }
  /** `heard`: some of an answer had come. */
  | { failure: Failure; heard: boolean }
);

/** An error loses its class and its fields on the way. */
interface Failure {
  code: string;
  message: string;
  status: number;
  again: boolean;
  cause: { message: string; code: string | undefined } | undefined;
}

export function toFailure(thrown: unknown): Failure {
  const { code, message, status, again, cause } = toS3Error(thrown);
  return {
    code,
    message,
    status,
    again,
    cause: cause instanceof Error ? { message: cause.message, code: (cause as NodeJS.ErrnoException).code } : undefined,
  };
}

export function fromFailure({ code, message, status, again, cause }: Failure): S3Error {
  const told = cause && Object.assign(new Error(cause.message), cause.code !== undefined && { code: cause.code });
  return new S3Error(code, message, { status, again, ...(told && { cause: told }) });
}
