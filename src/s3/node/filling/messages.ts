import type { ConnectionOptions } from 'node:tls';
import { S3Error, toS3Error } from '../../errors.js';
import type { FileRange, WireAnswer, WireRequest } from '../../wire.js';

/** What a thread is told once. */
export interface Setting {
  tls: ConnectionOptions;
  stallSeconds: number;
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
export type Report = { id: number } & ({ moved: number } | { answer: WireAnswer } | { failure: Failure });

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
