import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import Fastify, { LogController } from 'fastify';
import type { FastifyRequest } from 'fastify';
import { registerAjvFormats, TypeBoxValidatorCompiler } from '@fastify/type-provider-typebox';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import { BlobError } from '../../../src/protocol/errors.js';
import { escapeJson } from '../../../src/protocol/display-text.js';
import { trimEndOf } from '../../../src/protocol/trim.js';
import { authenticate } from '../identity/authenticate.js';
import { authorize } from '../identity/authorize.js';
import { isAddressRange, rangeMatcher } from '../identity/ip-addresses.js';
import { baseUrlFor } from '../http/base-url.js';
import { HEADERS_MS, KEEP_ALIVE_MS, TIMEOUT_CHECK_MS } from '../http/connections.js';
import type { Connections } from '../http/connections.js';
import type { App, RouteContext } from './context.js';
import { addCorsHeaders, sendPreflight, isPreflight } from '../http/cors.js';
import { asBlobError, rejectMalformed, schemaError, sendError } from '../http/errors.js';
import { rejectNul } from '../http/reject-nul.js';
import { rejectRepeatedHeaders, rejectTransferCodings } from '../http/reject-headers.js';
import { discardBody, MINIMUM_RATE } from '../http/minimum-rate.js';
import type { Metrics } from '../http/metrics.js';
import { OpenApiBuilder } from './openapi/openapi.js';
import { bodyOf } from './upload.js';
import { Limits } from '../identity/limits/limits.js';
import type { BlobServiceOptions } from '../options.js';
import { docsAndMetricsRoutes } from './routes/docs-and-metrics.js';
import { batchRoutes } from './routes/batch.js';
import { deliveryRoutes, serveDomain } from './routes/delivery.js';
import { fileChangeRoutes } from './routes/file-changes.js';
import { fileRoutes } from './routes/files.js';
import { domainRoutes } from './routes/domains.js';
import { linkRoutes } from './routes/links.js';
import { ruleRoutes } from './routes/rules.js';
import { s3CredentialRoutes } from './routes/s3-credentials.js';
import { sharedFileRoutes } from './routes/shared-files.js';
import { shareRoutes } from './routes/shares.js';
import { healthRoutes } from './routes/health.js';
import { resumableRoutes } from './routes/resumable.js';
import { statsRoutes } from './routes/stats.js';
import { uploadTokenRoutes } from './routes/upload-tokens.js';
import { uploadRoutes } from './routes/uploads.js';
import type { Core } from '../core.js';

/** Options of a JSON body; files stream and have no such bound. */
const JSON_LIMIT = 1024 * 1024;

/** Keys and paths are anybody's texts, and operators read the log in terminals. */
const ESCAPED_LINES = { hooks: { streamWrite: escapeJson } };

export type AppOptions = Pick<BlobServiceOptions, 'rateLimits' | 'minimumRate' | 'publicUrl' | 'trustedProxies' | 'logger'>;

/** The HTTP face over an opened core: every route, and what all routes share. */
export async function buildApp(core: Core, options: AppOptions, metrics: Metrics, connections: Connections): Promise<App> {
  registerAjvFormats();
  const { logger = false, trustedProxies = [] } = options;
  const app = Fastify({
    ...(typeof logger === 'object' ? { loggerInstance: logger } : { logger: logger && ESCAPED_LINES }),
    // It would hand whole requests, headers and all, to loggers that know nothing of secrets.
    logController: new LogController({ disableRequestLogging: true }),
    // Fastify's own test takes an address with a port for no address.
    trustProxy: trustedProxies.length > 0 ? rangeMatcher(trustedProxies.filter(isAddressRange)) : false,
    genReqId: () => randomUUID(),
    bodyLimit: JSON_LIMIT,
    rewriteUrl: ({ url = '/' }) => (url.startsWith('/') ? url : pathOf(url)),
    // An upload takes as long as it takes.
    requestTimeout: 0,
    keepAliveTimeout: KEEP_ALIVE_MS,
    http: { headersTimeout: HEADERS_MS, connectionsCheckingInterval: TIMEOUT_CHECK_MS },
    // What still comes on a kept connection is answered like all else; the answer closes it.
    return503OnClosing: false,
    // Idle ones; running requests are given time by whoever closes.
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: 1024 },
    clientErrorHandler: rejectMalformed,
    frameworkErrors: (error, request, reply) => {
      const bad =
        error.code === 'FST_ERR_BAD_URL'
          ? new BlobError('INVALID_PATH', 'The address is not valid percent-encoded UTF-8.')
          : error;
      addCorsHeaders(reply.header('X-Request-Id', request.id));
      sendError(bad, request, reply);
    },
  }).withTypeProvider<TypeBoxTypeProvider>();

  // Paced is what `takesJson` names: another parser would read what comes drop by drop.
  app.removeContentTypeParser('text/plain');
  app.setValidatorCompiler(TypeBoxValidatorCompiler);
  app.setSchemaErrorFormatter(schemaError);
  app.setErrorHandler((error, request, reply) => {
    metrics.requestFailed(asBlobError(error).code);
    sendError(error, request, reply);
  });
  app.setNotFoundHandler((request, reply) => {
    if (isPreflight(request)) return sendPreflight(reply);
    throw new BlobError(
      'NOT_FOUND',
      `There is no ${request.method} ${request.url.replace(/\?.*$/s, '')}. /docs tells what there is.`,
    );
  });

  // The one expectation there is gets its go-ahead from Node. Others may be left unheard: https://www.rfc-editor.org/rfc/rfc9110#section-10.1.1
  app.server.on('checkExpectation', (request, response) => void app.server.emit('request', request, response));

  const openApi = new OpenApiBuilder();
  app.addHook('onRoute', (route) => {
    if (route.config?.access === undefined) throw new Error(`route ${route.url} does not say who may come in`);
    openApi.add(route);
  });
  let stopping = false;
  app.addHook('preClose', async () => void (stopping = true));
  app.addHook('onResponse', async (request, reply) => {
    metrics.requestEnded(request, reply);
    const milliseconds = reply.elapsedTime;
    request.log.info({ request: toldOf(request), status: reply.statusCode, milliseconds }, 'request');
    discardBody(request.raw, minimumRate);
    // Told to stop while the request ran: its connection would be kept for a next one.
    if (stopping && request.raw.complete) request.raw.socket.destroySoon();
  });
  const minimumRate = options.minimumRate ?? MINIMUM_RATE;
  const limits = new Limits(core.counters, options.rateLimits ?? {}, core.now);
  const context: RouteContext = {
    ...core,
    minimumRate,
    countListing: (address) => limits.countListing(address),
    isDraining: () => connections.isDraining,
    ownHost: options.publicUrl === undefined ? undefined : new URL(options.publicUrl).hostname,
    baseUrl: (request) =>
      options.publicUrl === undefined ? baseUrlFor(request, trustedProxies) : trimEndOf(options.publicUrl, '/'),
  };
  app.decorateRequest('actor');
  app.addHook('onRequest', async (request, reply) => {
    metrics.requestStarted();
    addCorsHeaders(reply.header('X-Request-Id', request.id));
    // Clients correct their time by it, such as the AWS SDKs, and caches compute ages. This machine's clock may be wrong.
    reply.header('Date', new Date(core.now()).toUTCString());
    // A client that goes away is not an error of ours; whoever reads the body learns it from the body.
    request.raw.on('error', () => {});
    rejectRepeatedHeaders(request);
    rejectTransferCodings(request);
    if (await serveDomain(context, request, reply)) return reply;
    const { access } = request.routeOptions.config;
    if (access === undefined || access === 'everyone') return undefined;
    const { workspace_id: workspaceId } = request.query as { workspace_id?: string };
    const { authorization } = request.headers;
    const caller = await authenticate(core.accounts, core.keys, core.tokens, authorization, request.ip);
    // What the route then refuses has been a request all the same.
    await limits.countRequest(caller, `${request.method} ${request.routeOptions.url}`, reply);
    request.actor = authorize(caller, access, workspaceId);
    return undefined;
  });

  // A small body that comes drop by drop would hold a connection; most came with their headers.
  app.addHook('preParsing', async (request, _reply, body) => {
    if (request.raw.complete || !takesJson(request)) return body;
    const enforceMinimumRate = Readable.from(bodyOf(context, request));
    // The parser stops listening to a body that is too large, while that flows on: its end in an error is nobody's any more.
    enforceMinimumRate.on('error', () => {});
    return enforceMinimumRate;
  });

  app.addHook('preHandler', async (request) => {
    if (request.routeOptions.config.access !== undefined) rejectNul(request);
  });

  for (const routes of [
    fileRoutes,
    fileChangeRoutes,
    linkRoutes,
    uploadTokenRoutes,
    shareRoutes,
    sharedFileRoutes,
    ruleRoutes,
    domainRoutes,
    s3CredentialRoutes,
    statsRoutes,
    deliveryRoutes,
    healthRoutes,
  ])
    routes(app, context);
  docsAndMetricsRoutes(app, openApi, metrics);
  // Walled off: here the body is the file (or the form that holds it), whatever its type, and is read by the route.
  for (const routes of [uploadRoutes, batchRoutes, resumableRoutes]) {
    await app.register(async (scope: App) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
      routes(scope, context);
    });
  }
  return app;
}

/** Of an address with scheme and host, as it is sent to proxies and may be to us: routes look at the path alone. */
function pathOf(address: string): string {
  const path = address.replace(/^https?:\/\/[^/?]*/i, '');
  return path.startsWith('/') ? path : `/${path}`;
}

const takesJson = ({ headers, routeOptions }: FastifyRequest): boolean =>
  routeOptions.config.takes === undefined && /^application\/json\b/i.test(headers['content-type'] ?? '');

/** For the log: no headers, no query, which may hold the signature of a link, and of a share's id, which opens it, 8 characters. */
const toldOf = (request: FastifyRequest) => ({
  method: request.method,
  url: withoutShare(request.url.replace(/\?.*$/s, '')),
  ip: request.ip,
});

/** However its letters are written. Others stay as they came. */
function withoutShare(address: string): string {
  const plain = address.replace(/%[2-7][0-9a-f]/gi, decodeURIComponent).replace(/(share_..)[a-z2-7]+/g, '$1…');
  return plain.includes('…') ? plain : address;
}
