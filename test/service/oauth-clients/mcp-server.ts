import { createServer, request as forward } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';

/** An MCP server at /mcp, with the service behind all other paths of the same origin. */
export interface McpOrigin {
  url: string;
  /** Connects the service, which needs `url` before it starts. */
  connect(serviceUrl: string): void;
  close(): void;
}

/** Starts an origin as operators build it: a reverse proxy before the service and an MCP server that accepts the service's keys. */
export async function startMcpOrigin(): Promise<McpOrigin> {
  let serviceUrl = '';
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/mcp')) void serveMcp(serviceUrl, url, request, response);
    else pass(serviceUrl, request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    connect: (target) => void (serviceUrl = target),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function pass(serviceUrl: string, request: IncomingMessage, response: ServerResponse): void {
  const { hostname, port } = new URL(serviceUrl);
  const { method, url: path, rawHeaders: headers } = request;
  const upstream = forward({ hostname, port, method, path, headers, setHost: false, agent: false }, (answer) => {
    response.writeHead(answer.statusCode!, answer.rawHeaders);
    answer.pipe(response);
  });
  upstream.on('error', () => response.destroy());
  request.pipe(upstream);
}

/** Answers an MCP request whose key the service accepts. Each request has its own transport, as without sessions. */
async function serveMcp(serviceUrl: string, url: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { authorization } = request.headers;
  const { ok } = await fetch(`${serviceUrl}/v1/stats`, { headers: authorization === undefined ? {} : { authorization } });
  if (!ok) {
    const metadata = `${url}/.well-known/oauth-protected-resource`;
    response.writeHead(401, { 'WWW-Authenticate': `Bearer resource_metadata="${metadata}", scope="blob:read"` }).end();
    return;
  }
  const server = new McpServer({ name: 'files', version: '1.0.0' });
  server.registerTool('count_files', { description: 'Counts files' }, () => ({ content: [{ type: 'text', text: '0' }] }));
  // `exactOptionalPropertyTypes` makes the types of the SDK differ from its own interface.
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport as unknown as Parameters<McpServer['connect']>[0]);
  await transport.handleRequest(request, response);
}
