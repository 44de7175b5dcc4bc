import type { Metrics } from '../../http/metrics.js';
import type { App, RouteContext } from '../context.js';
import { authorizeRoute } from './authorize-route.js';
import { consentRoute } from './consent-route.js';
import { addFormParser } from '../form-body.js';
import { metadataRoutes } from './metadata-routes.js';
import { registerRoute } from './register-route.js';
import { tokenRoute } from './token-route.js';

/** Defines the endpoints of the authorization server. */
export async function oauthRoutes(app: App, context: RouteContext, metrics: Metrics): Promise<void> {
  metadataRoutes(app, context);
  registerRoute(app, context);
  authorizeRoute(app, context);
  await app.register(async (scope: App) => {
    scope.removeAllContentTypeParsers();
    addFormParser(scope);
    consentRoute(scope, context, metrics);
    tokenRoute(scope, context);
  });
}
