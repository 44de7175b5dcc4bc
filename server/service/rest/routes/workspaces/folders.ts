import { Type } from '@fastify/type-provider-typebox';
import { FOLDER_COLORS } from '../../../identity/organization/organization.js';
import { callerOf } from '../../../identity/workspaces/caller.js';
import type { App, RouteContext } from '../../context.js';
import { response } from '../../openapi/schemas.js';
import {
  allowNoBody,
  documentation,
  FolderParams,
  FolderResourceParams,
  FoldersParams,
  ORGANIZATION_BASES,
  Placement,
  Position,
  resourceOf,
} from './organization-base.js';
import type { OrganizationBase } from './organization-base.js';
import { body, Folder, Name, NoQuery, oneOf, Organization } from './schemas.js';

const changeable = { color: Type.Optional(oneOf(FOLDER_COLORS)), position: Position };

/** Folders of resources. Each user has their own, also in a workspace. */
export function folderRoutes(app: App, context: RouteContext): void {
  readPersonalOrganizationRoute(app, context);
  for (const base of ORGANIZATION_BASES) {
    createFolderRoute(app, context, base);
    changeFolderRoute(app, context, base);
    deleteFolderRoute(app, context, base);
    putResourceRoute(app, context, base);
    removeResourceRoute(app, context, base);
  }
}

/** `GET /v1/workspaces/:id` returns the organization of a workspace. */
function readPersonalOrganizationRoute(app: App, { organizations }: RouteContext): void {
  app.get(
    '/v1/users/me/folders',
    {
      config: { access: { scope: 'account:read' } },
      schema: {
        summary: 'Read the own folders and favorites',
        tags: ['users'],
        querystring: NoQuery,
        response: { 200: response(Organization) },
      },
    },
    async ({ actor }) => ({ response: await organizations.read(callerOf(actor), undefined) }),
  );
}

function createFolderRoute(app: App, { organizations }: RouteContext, base: OrganizationBase): void {
  app.post(
    `${base.path}/folders`,
    {
      config: { access: base.access },
      schema: {
        ...documentation(base, 'Create a folder'),
        params: FoldersParams,
        body: body({ name: Name, ...changeable }),
        response: { 201: response(Folder) },
      },
    },
    async ({ actor, params, body: fields }, reply) =>
      reply.code(201).send({ response: await organizations.folders.create(callerOf(actor), params.id, fields) }),
  );
}

function changeFolderRoute(app: App, { organizations }: RouteContext, base: OrganizationBase): void {
  app.patch(
    `${base.path}/folders/:folder_id`,
    {
      config: { access: base.access },
      schema: {
        ...documentation(base, 'Change a folder'),
        params: FolderParams,
        body: Type.Object({ name: Type.Optional(Name), ...changeable }, { additionalProperties: false, minProperties: 1 }),
        response: { 200: response(Folder) },
      },
    },
    async ({ actor, params, body: fields }) => ({
      response: await organizations.folders.change(callerOf(actor), params.id, params.folder_id, fields),
    }),
  );
}

function deleteFolderRoute(app: App, { organizations }: RouteContext, base: OrganizationBase): void {
  app.delete(
    `${base.path}/folders/:folder_id`,
    {
      config: { access: base.access },
      schema: {
        ...documentation(base, 'Delete a folder'),
        description: 'Its resources stay.',
        params: FolderParams,
        response: { 200: response(Type.Null()) },
      },
    },
    async ({ actor, params }) => {
      await organizations.folders.delete(callerOf(actor), params.id, params.folder_id);
      return { response: null };
    },
  );
}

function putResourceRoute(app: App, { organizations }: RouteContext, base: OrganizationBase): void {
  app.put(
    `${base.path}/folders/:folder_id/resources/:resource_type/:resource_id`,
    {
      config: { access: base.access },
      preValidation: allowNoBody,
      schema: {
        ...documentation(base, 'Put a resource into a folder'),
        description: 'Moves a resource that is in another folder. The id of a bucket is its name.',
        params: FolderResourceParams,
        body: Placement,
        response: { 200: response(Organization) },
      },
    },
    async ({ actor, params, body: { position } }) => ({
      response: await organizations.places.putIntoFolder(
        callerOf(actor),
        params.id,
        params.folder_id,
        resourceOf(params),
        position,
      ),
    }),
  );
}

function removeResourceRoute(app: App, { organizations }: RouteContext, base: OrganizationBase): void {
  app.delete(
    `${base.path}/folders/:folder_id/resources/:resource_type/:resource_id`,
    {
      config: { access: base.access },
      schema: {
        ...documentation(base, 'Take a resource out of a folder'),
        params: FolderResourceParams,
        response: { 200: response(Organization) },
      },
    },
    async ({ actor, params }) => ({
      response: await organizations.places.removeFromFolder(callerOf(actor), params.id, params.folder_id, resourceOf(params)),
    }),
  );
}
