/**
 * A client of `@aws-sdk/client-s3`, as far as it is used here. The public declarations must not name the SDK's own type: a project
 * without the SDK, which is an optional peer, could not compile them.
 */
export interface SdkClient {
  readonly config: {
    signer(): Promise<{ sign(request: never): Promise<unknown> }>;
    readonly requestHandler: { handle(request: never, options: { abortSignal: AbortSignal }): Promise<unknown> };
  };
}
