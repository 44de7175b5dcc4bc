/**
 * The used part of a client of `@aws-sdk/client-s3`. Public declarations cannot use the type of the SDK. Projects without the SDK,
 * which is optional, could not compile them.
 */
export interface SdkClient {
  readonly config: {
    signer(): Promise<{ sign(request: never): Promise<unknown> }>;
    readonly requestHandler: { handle(request: never, options: { abortSignal: AbortSignal }): Promise<unknown> };
  };
}
