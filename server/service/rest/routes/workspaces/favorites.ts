import { callerOf } from '../../../identity/workspaces/caller.js';
import type { App, RouteContext } from '../../context.js';
import { response } from '../../openapi/schemas.js';
import { allowNoBody, documentation, FavoriteParams, ORGANIZATION_BASES, Placement, resourceOf } from './organization-base.js';
import { Organization } from './schemas.js';

/** Defines the routes of favorite resources. Each user has their own, also in a workspace. Both operations may be repeated. */
export function favoriteRoutes(app: App, { organizations }: RouteContext): void {
  for (const base of ORGANIZATION_BASES) {
    const path = `${base.path}/favorites/:resource_type/:resource_id`;
    const config = { access: base.access };
    const schema = { params: FavoriteParams, response: { 200: response(Organization) } };
    app.put(
      path,
      {
        config,
        preValidation: allowNoBody,
        schema: {
          ...documentation(base, 'Add a favorite'),
          description: 'Moves a favorite if a position is given. The id of a bucket is its name.',
          body: Placement,
          ...schema,
        },
      },
      async ({ actor, params, body: { position } }) => ({
        response: await organizations.places.addFavorite(callerOf(actor), params.id, resourceOf(params), position),
      }),
    );
    app.delete(
      path,
      { config, schema: { ...documentation(base, 'Remove a favorite'), ...schema } },
      async ({ actor, params }) => ({
        response: await organizations.places.removeFavorite(callerOf(actor), params.id, resourceOf(params)),
      }),
    );
  }
}
