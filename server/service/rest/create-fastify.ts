import { randomUUID } from 'node:crypto';
import Fastify, { LogController } from 'fastify';
import { registerAjvFormats } from '@fastify/type-provider-typebox';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import { escapeJson } from '../../../src/protocol/display-text.js';
import { BlobError } from '../../../src/protocol/errors.js';
import { HEADERS_MS, KEEP_ALIVE_MS, TIMEOUT_CHECK_MS } from '../http/connections.js';
import { addCorsHeaders, isPreflight, sendPreflight } from '../http/cors.js';
import { asBlobError, rejectMalformed, sendError } from '../http/errors.js';
import type { Metrics } from '../http/metrics.js';
import { isAddressRange, rangeMatcher } from '../runtime/ip-addresses.js';
import type { BlobServiceOptions } from '../options.js';
import { asOauthError, isOauthRequest, sendOauthError } from './oauth/send-oauth-error.js';
import type { App } from './context.js';
import { isPageRequest, sendErrorPage } from './pages/error-page.js';
import { acceptsHtml } from './pages/html.js';
import { noRoute } from './no-route.js';
import { compileSerializer } from './response-serializer.js';
import { compileValidator } from './schema-validator.js';

export type AppOptions = Pick<
  BlobServiceOptions,
  'rateLimits' | 'minimumRate' | 'publicUrl' | 'deliveryUrl' | 's3PublicUrl' | 's3Port' | 'trustedProxies' | 'fetch' | 'logger'
>;

/** Maximum bytes of a JSON body. Files are streamed and not limited by it. */
const JSON_LIMIT = 1024 * 1024;

/** Clients choose keys and paths, and operators read the log in terminals, so control characters are escaped. */
const ESCAPED_LINES = { hooks: { streamWrite: escapeJson } };

/** Creates the Fastify instance with its timeouts, validation and error handling. */
export function createFastify({ logger = false, trustedProxies = [] }: AppOptions, metrics: Metrics): App {
  registerAjvFormats();
  const app = Fastify({
    ...(typeof logger === 'object' ? { loggerInstance: logger } : { logger: logger && ESCAPED_LINES }),
    // Fastify's request log passes whole requests with their credentials to loggers.
    logController: new LogController({ disableRequestLogging: true }),
    // Fastify's own check does not recognize an address with a port.
    trustProxy: trustedProxies.length > 0 ? rangeMatcher(trustedProxies.filter(isAddressRange)) : false,
    genReqId: () => randomUUID(),
    bodyLimit: JSON_LIMIT,
    rewriteUrl: ({ url = '/' }) => (url.startsWith('/') ? url : pathOf(url)),
    // Uploads may take any time.
    requestTimeout: 0,
    keepAliveTimeout: KEEP_ALIVE_MS,
    http: { headersTimeout: HEADERS_MS, connectionsCheckingInterval: TIMEOUT_CHECK_MS },
    // While the service stops, requests on open connections still get a normal response, which closes the connection.
    return503OnClosing: false,
    // Closes idle connections. The caller of `close` decides how long running requests may take.
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: 1024 },
    clientErrorHandler: rejectMalformed,
    frameworkErrors: (error, request, reply) => {
      const isBadUrl = error.code === 'FST_ERR_BAD_URL';
      addCorsHeaders(reply.header('X-Request-Id', request.id));
      const reported = isBadUrl ? new BlobError('INVALID_PATH', 'The URL must be percent-encoded UTF-8.') : error;
      if (isBadUrl && acceptsHtml(request)) return sendErrorPage(reported, request, reply);
      (isOauthRequest(request) ? sendOauthError : sendError)(reported, request, reply);
    },
  }).withTypeProvider<TypeBoxTypeProvider>();

  // The minimum rate applies only to JSON and form-encoded bodies (`hasParsedBody`), so no other parser may read a body.
  app.removeContentTypeParser('text/plain');
  app.setValidatorCompiler(compileValidator);
  app.setSerializerCompiler(compileSerializer);
  app.setErrorHandler((error, request, reply) => {
    if (isOauthRequest(request)) {
      metrics.requestFailed(asOauthError(error).code);
      return sendOauthError(error, request, reply);
    }
    metrics.requestFailed(asBlobError(error).code);
    return (isPageRequest(request) ? sendErrorPage : sendError)(error, request, reply);
  });
  app.setNotFoundHandler((request, reply) => {
    if (isPreflight(request)) return sendPreflight(reply);
    throw noRoute(request);
  });
  // Node handles `100-continue`. Other expectations may be ignored: https://www.rfc-editor.org/rfc/rfc9110#section-10.1.1
  app.server.on('checkExpectation', (request, response) => void app.server.emit('request', request, response));
  return app;
}

/** Removes scheme and host from a URL in absolute form, which proxies may send. */
function pathOf(url: string): string {
  const path = url.replace(/^https?:\/\/[^/?]*/i, '');
  return path.startsWith('/') ? path : `/${path}`;
}
