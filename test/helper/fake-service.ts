import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Not a valid key of any service. */
export const API_KEY = 'svc_live_0123456789abcdefTESTKEY';

export interface Seen {
  method: string;
  url: string;
  authorization: string | undefined;
  body: string;
}

type Answer = (response: ServerResponse, seen: Seen) => void;

export const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };

/** A port that answers as scripted, for faults no healthy service shows. The last answer repeats. */
export async function fakeService(...answers: Answer[]) {
  const seen: Seen[] = [];
  const server = createServer(async (request: IncomingMessage, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const one = { method: request.method ?? '', url: request.url ?? '', authorization: request.headers.authorization, body };
    seen.push(one);
    answers[Math.min(seen.length, answers.length) - 1]!(response, one);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

export const created = (over: object = {}) => ({
  response: {
    id: 'tok_1',
    token: 'svcup_secret',
    expires_at: '2030-01-01T00:00:00.000Z',
    max_uses: 1,
    uses: 0,
    max_size: null,
    allowed_extensions: null,
    ...over,
  },
});
