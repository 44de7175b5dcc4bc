import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An API key that no service accepts. */
export const API_KEY = 'svc_live_0123456789abcdefTESTKEY';

export interface ReceivedRequest {
  method: string;
  url: string;
  authorization: string | undefined;
  body: string;
}

type Responder = (response: ServerResponse, request: ReceivedRequest) => void;

/** Creates a response with a JSON body. */
export const respondJson =
  (status: number, body: unknown, headers: Record<string, string> = {}): Responder =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };

/** Starts a service that sends the given responses in order, for failures of a service. The last response repeats. */
export async function startFakeService(...responders: Responder[]) {
  const requests: ReceivedRequest[] = [];
  const server = createServer(async (request: IncomingMessage, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const { method = '', url = '', headers } = request;
    const received = { method, url, authorization: headers.authorization, body };
    requests.push(received);
    responders[Math.min(requests.length, responders.length) - 1]!(response, received);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** Creates the body of a response to `POST /v1/upload-tokens`. @param changes fields with other values */
export const tokenResponse = (changes: object = {}) => ({
  response: {
    id: 'tok_1',
    token: 'svcup_secret',
    expires_at: '2030-01-01T00:00:00.000Z',
    max_uses: 1,
    uses: 0,
    max_size: null,
    allowed_extensions: null,
    ...changes,
  },
});
