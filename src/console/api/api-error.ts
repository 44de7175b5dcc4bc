/** An error response of the REST API, or a request that got no response (`NETWORK_ERROR`). */
export class ApiError extends Error {
  constructor(
    readonly code: string,
    message: string,
    /** HTTP status; 0 without a response. */
    readonly status: number,
    readonly details: Readonly<Record<string, unknown>> = {},
    readonly requestId?: string,
  ) {
    super(message);
    this.name = 'ApiError';
  }
}

/** Returns whether a request ended because its signal was aborted. */
export const isAbort = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError';
