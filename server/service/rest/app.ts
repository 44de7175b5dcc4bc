import { Readable } from 'node:stream';
import cookie from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { trimEndCharacters } from '../../../src/protocol/trim.js';
import type { Core } from '../core.js';
import { baseUrlFor } from '../http/base-url.js';
import type { Connections } from '../http/connections.js';
import { addCorsHeaders } from '../http/cors.js';
import { CLIENT_DISCONNECTED, finalStatus } from '../http/metrics.js';
import type { Metrics } from '../http/metrics.js';
import { discardBody, MINIMUM_RATE } from '../http/minimum-rate.js';
import { rejectRepeatedHeaders, rejectTransferCodings } from '../http/reject-headers.js';
import { rejectNul } from '../http/reject-nul.js';
import { takeTraffic } from '../http/traffic.js';
import { authenticate } from '../identity/authenticate.js';
import type { Actor } from '../identity/authenticate.js';
import { authorize } from '../identity/authorize.js';
import { Limits } from '../identity/limits/limits.js';
import type { App, RouteContext } from './context.js';
import { createFastify } from './create-fastify.js';
import type { AppOptions } from './create-fastify.js';
import { issuerOf } from './oauth/issuer.js';
import { oauthRoutes } from './oauth/oauth-routes.js';
import { OpenApiBuilder } from './openapi/openapi.js';
import { requestBody } from './request-body.js';
import { requestLogFields } from './request-log.js';
import { readSessionCookie } from './session-cookie.js';
import { apiKeyRoutes } from './routes/api-keys.js';
import { accountPageRoutes } from './routes/account-pages.js';
import { batchRoutes } from './routes/batch.js';
import { consoleRoutes } from './routes/console.js';
import { createFolderRoute } from './routes/create-folder.js';
import { readDeliveryUrl, separateOrigins } from './delivery-origin.js';
import { deliveryRoutes, serveDomain } from './routes/delivery.js';
import { docsAndMetricsRoutes } from './routes/docs-and-metrics.js';
import { domainRoutes } from './routes/domains.js';
import { elementRoutes } from './routes/element.js';
import { fileChangeRoutes } from './routes/file-changes.js';
import { fetchRoute } from './routes/fetch.js';
import { fileRoutes } from './routes/files.js';
import { healthRoutes } from './routes/health.js';
import { invitationRoutes } from './routes/invitations.js';
import { jobRoutes } from './routes/jobs.js';
import { linkRoutes } from './routes/links.js';
import { planRoutes } from './routes/plans.js';
import { resumableRoutes } from './routes/resumable.js';
import { ruleRoutes } from './routes/rules.js';
import { s3CredentialRoutes } from './routes/s3-credentials.js';
import { sessionRoutes } from './routes/sessions.js';
import { sharedFileRoutes } from './routes/shared-files.js';
import { sharePasswordRoute } from './routes/share-password.js';
import { shareRoutes } from './routes/shares.js';
import { statsRoutes } from './routes/stats.js';
import { uploadTokenRoutes } from './routes/upload-tokens.js';
import { uploadRequestRoutes } from './routes/upload-requests.js';
import { uploadRoutes } from './routes/uploads.js';
import { activityRoutes } from './routes/workspaces/activities.js';
import { favoriteRoutes } from './routes/workspaces/favorites.js';
import { folderRoutes } from './routes/workspaces/folders.js';
import { inviteLinkRoutes } from './routes/workspaces/invite-links.js';
import { workspaceInvitePageRoutes } from './routes/workspace-invite-page.js';
import { workspaceInviteRoutes } from './routes/workspaces/invites.js';
import { workspaceMemberRoutes } from './routes/workspaces/members.js';
import { workspaceRoleRoutes } from './routes/workspaces/roles.js';
import { workspaceRoutes } from './routes/workspaces/workspaces.js';
import { userRoutes } from './routes/users.js';
import { webhookRoutes } from './routes/webhooks.js';
import { webhookDeliveryRoutes } from './routes/webhook-deliveries.js';
import { userSessionRoutes } from './routes/user-sessions.js';

/** Routes with a JSON body or none. */
const JSON_ROUTES = [
  fileRoutes,
  fileChangeRoutes,
  fetchRoute,
  createFolderRoute,
  jobRoutes,
  linkRoutes,
  uploadTokenRoutes,
  shareRoutes,
  sharedFileRoutes,
  uploadRequestRoutes,
  elementRoutes,
  consoleRoutes,
  ruleRoutes,
  domainRoutes,
  webhookRoutes,
  webhookDeliveryRoutes,
  s3CredentialRoutes,
  statsRoutes,
  apiKeyRoutes,
  planRoutes,
  workspaceRoutes,
  workspaceMemberRoutes,
  workspaceRoleRoutes,
  workspaceInviteRoutes,
  inviteLinkRoutes,
  folderRoutes,
  favoriteRoutes,
  activityRoutes,
  deliveryRoutes,
  healthRoutes,
  sessionRoutes,
  userRoutes,
  userSessionRoutes,
  invitationRoutes,
];

/** Routes that read the body themselves, because it contains files. */
const UPLOAD_ROUTES = [uploadRoutes, batchRoutes, resumableRoutes];

/** Creates the REST API of an opened core: the hooks of all requests and every route. */
export async function buildApp(core: Core, options: AppOptions, metrics: Metrics, connections: Connections): Promise<App> {
  const app = createFastify(options, metrics);
  const limits = new Limits(core.counters, options.rateLimits ?? {}, core.now);
  const context = routeContext(core, options, limits, connections, app);
  const openApi = new OpenApiBuilder();

  app.addHook('onRoute', (route) => {
    if (route.config?.access === undefined) throw new Error(`The route ${route.url} must set config.access.`);
    openApi.add(route);
  });
  await app.register(cookie);
  addRequestHooks(app, context, limits, metrics);
  addResponseHook(app, context);

  for (const addRoutes of JSON_ROUTES) addRoutes(app, context);
  docsAndMetricsRoutes(app, openApi, metrics);
  await oauthRoutes(app, context, metrics);
  // Separate scopes, so that no other route reads forms.
  for (const addRoutes of [accountPageRoutes, workspaceInvitePageRoutes, sharePasswordRoute])
    await app.register(async (scope: App) => addRoutes(scope, context));
  // A separate scope, so that no parser reads these bodies.
  for (const addRoutes of UPLOAD_ROUTES) {
    await app.register(async (scope: App) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
      addRoutes(scope, context);
    });
  }
  return app;
}

function routeContext(core: Core, options: AppOptions, limits: Limits, connections: Connections, { server }: App): RouteContext {
  const { publicUrl, trustedProxies = [], minimumRate = MINIMUM_RATE } = options;
  const deliveryUrl = readDeliveryUrl(options);
  const baseUrl = (request: FastifyRequest): string =>
    publicUrl === undefined ? baseUrlFor(request, trustedProxies) : trimEndCharacters(publicUrl, '/');
  return {
    ...core,
    minimumRate,
    countListing: (address) => limits.countListing(address),
    countVisitorToken: (address) => limits.countVisitorToken(address),
    isDraining: () => connections.isDraining,
    mayFetch: options.fetch ?? false,
    deliveryUrl,
    contentUrl: (request) => deliveryUrl ?? baseUrl(request),
    ownHosts: [publicUrl, deliveryUrl].flatMap((url) => (url === undefined ? [] : [new URL(url).hostname])),
    issuer: () => issuerOf(publicUrl, server),
    baseUrl,
    s3Url: (request) => s3UrlFor(options, baseUrl(request)),
  };
}

/** Returns the address of the S3 endpoint. Only without a proxy and a public address is it a port of the same host. */
function s3UrlFor({ s3PublicUrl, s3Port = 9000, publicUrl }: AppOptions, baseUrl: string): string | null {
  if (s3Port === false) return null;
  if (s3PublicUrl !== undefined) return trimEndCharacters(s3PublicUrl, '/');
  const { protocol, hostname } = new URL(baseUrl);
  return publicUrl === undefined && protocol === 'http:' && s3Port !== 0 ? `http://${hostname}:${s3Port}` : null;
}

/** Adds the steps before a route: headers, domains, authentication, limits, authorization. */
function addRequestHooks(app: App, context: RouteContext, limits: Limits, metrics: Metrics): void {
  app.decorateRequest('actor');
  app.decorateRequest('servedAccount');
  app.addHook('onRequest', async (request, reply) => {
    metrics.requestStarted();
    // Fastify calls `onResponse` hooks only for complete responses. The response closes too if the client disconnects before.
    reply.raw.once('close', () => {
      metrics.requestEnded(request, reply);
      countForAccount(context, request, reply);
      request.log.info(requestLogFields(request, reply), 'request');
    });
    addCorsHeaders(reply.header('X-Request-Id', request.id));
    // Clients such as the AWS SDKs correct their clocks by this header. The clock of this machine may be wrong.
    reply.header('Date', new Date(context.now()).toUTCString());
    // The reader of the body gets socket errors. Without a reader, an unhandled error would end the process.
    request.raw.on('error', () => {});
    rejectRepeatedHeaders(request);
    rejectTransferCodings(request);
    if (await serveDomain(context, request, reply)) return reply;
    if (separateOrigins(context, request, reply)) return reply;
    const { access } = request.routeOptions.config;
    if (access === undefined || access === 'everyone') return undefined;
    const { workspace_id: workspaceId } = request.query as { workspace_id?: string };
    const { authorization } = request.headers;
    const sessionCookie = readSessionCookie(context, request);
    const actor = await authenticate(context, { authorization, sessionCookie, ip: request.ip });
    // Requests that `authorize` rejects count towards the limits too.
    await limits.countRequest(actor, `${request.method} ${request.routeOptions.url}`, reply);
    request.actor = await authorize(actor, access, workspaceId, context.memberships);
    return undefined;
  });

  // Fastify's parsers have no minimum rate, and a slow client would hold its connection.
  app.addHook('preParsing', async (request, _reply, body) => {
    if (request.raw.complete || !hasParsedBody(request)) return body;
    const limited = Readable.from(requestBody(context, request));
    // The parser removes its listener from a body that is too large, so a later error would be unhandled.
    limited.on('error', () => {});
    return limited;
  });

  app.addHook('preHandler', async (request) => {
    if (request.routeOptions.config.access !== undefined) rejectNul(request);
  });
}

/** Adds a request to the statistics of its account. Requests without a valid credential belong to no account, unless they read a file. */
function countForAccount({ blobs }: RouteContext, request: FastifyRequest, reply: FastifyReply): void {
  const { received, sent } = takeTraffic(request.raw.socket);
  const accountId = request.servedAccount ?? (request.actor as Actor | undefined)?.storage.accountId;
  if (accountId === undefined) return;
  const isError = finalStatus(reply) >= 400 && finalStatus(reply) !== CLIENT_DISCONNECTED;
  blobs.dailySums.add(accountId, { requests: 1, errors: isError ? 1 : 0, bytesIn: received, bytesOut: sent });
}

/** Adds the steps after a complete response: the rest of the body, and the end of the connection. */
function addResponseHook(app: App, { minimumRate }: RouteContext): void {
  let isStopping = false;
  app.addHook('preClose', async () => void (isStopping = true));
  app.addHook('onResponse', async (request) => {
    discardBody(request.raw, minimumRate);
    // If the service was stopped during the request, its connection would be kept for another one.
    if (isStopping && request.raw.complete) request.raw.socket.destroySoon();
  });
}

const hasParsedBody = ({ headers, routeOptions }: FastifyRequest): boolean =>
  routeOptions.config.requestBody === undefined &&
  /^application\/(?:json|x-www-form-urlencoded)\b/i.test(headers['content-type'] ?? '');
