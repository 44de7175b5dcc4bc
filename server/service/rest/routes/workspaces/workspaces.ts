import { Type } from '@fastify/type-provider-typebox';
import { callerOf } from '../../../identity/workspaces/caller.js';
import type { App, RouteContext } from '../../context.js';
import { response } from '../../openapi/schemas.js';
import { body, documentation, Name, Workspace, WorkspaceDetails, WorkspaceParams } from './schemas.js';

const read = { access: { scope: 'workspaces:read' } } as const;
const write = { access: { scope: 'workspaces:write' } } as const;

/** Defines the routes of workspaces, which share the storage of their owner with members. */
export function workspaceRoutes(app: App, context: RouteContext): void {
  listWorkspacesRoute(app, context);
  createWorkspaceRoute(app, context);
  readWorkspaceRoute(app, context);
  renameWorkspaceRoute(app, context);
  deleteWorkspaceRoute(app, context);
  transferWorkspaceRoute(app, context);
}

function listWorkspacesRoute(app: App, { workspaces }: RouteContext): void {
  app.get(
    '/v1/workspaces',
    {
      config: read,
      schema: {
        ...documentation('List workspaces'),
        description: 'Lists workspaces that the user owns or is a member of, with the permissions of the user.',
        response: { 200: response(Type.Object({ workspaces: Type.Array(Workspace) })) },
      },
    },
    async ({ actor }) => ({ response: { workspaces: await workspaces.list(callerOf(actor).userId) } }),
  );
}

function createWorkspaceRoute(app: App, { workspaces }: RouteContext): void {
  app.post(
    '/v1/workspaces',
    {
      config: write,
      schema: { ...documentation('Create a workspace'), body: body({ name: Name }), response: { 201: response(Workspace) } },
    },
    async (request, reply) =>
      reply.code(201).send({ response: await workspaces.create(callerOf(request.actor), request.body.name) }),
  );
}

function readWorkspaceRoute(app: App, context: RouteContext): void {
  app.get(
    '/v1/workspaces/:id',
    {
      config: read,
      schema: {
        ...documentation('Read a workspace'),
        params: WorkspaceParams,
        response: { 200: response(WorkspaceDetails) },
      },
    },
    async ({ actor, params: { id } }) => {
      const caller = callerOf(actor);
      const workspace = await context.workspaces.get(caller.userId, id);
      const members = await context.workspaceMembers.list(id);
      const roles = await context.workspaceRoles.list(id);
      const seesAll = workspace.permissions.includes('members:read');
      const own = members.find((member) => member.user_id === caller.userId);
      return {
        response: {
          ...workspace,
          members: seesAll ? members : members.filter((member) => member === own),
          roles: seesAll ? roles : roles.filter((role) => role.id === own?.role_id),
          resource_organization: await context.organizations.read(caller, id),
        },
      };
    },
  );
}

function renameWorkspaceRoute(app: App, { workspaces }: RouteContext): void {
  app.put(
    '/v1/workspaces/:id',
    {
      config: write,
      schema: {
        ...documentation('Rename a workspace'),
        description: 'Only the owner may do this.',
        params: WorkspaceParams,
        body: body({ name: Name }),
        response: { 200: response(Workspace) },
      },
    },
    async (request) => ({
      response: await workspaces.rename(callerOf(request.actor), request.params.id, request.body.name),
    }),
  );
}

function deleteWorkspaceRoute(app: App, { workspaces }: RouteContext): void {
  app.delete(
    '/v1/workspaces/:id',
    {
      config: { access: { scope: 'workspaces:delete' } },
      schema: {
        ...documentation('Delete a workspace'),
        description: "Only the owner may do this. The owner's files stay.",
        params: WorkspaceParams,
        response: { 200: response(Type.Null()) },
      },
    },
    async (request) => {
      await workspaces.delete(callerOf(request.actor), request.params.id);
      return { response: null };
    },
  );
}

function transferWorkspaceRoute(app: App, { transferWorkspace }: RouteContext): void {
  app.post(
    '/v1/workspaces/:id/transfer',
    {
      config: { access: { session: 'only' } },
      schema: {
        ...documentation('Transfer a workspace to a member'),
        description:
          'Only the owner may do this, and becomes a member with the role admin. Roles lose blob:read and blob:manage, because the workspace selects the storage of the new owner from now on.',
        params: WorkspaceParams,
        body: body({ user_id: Type.String({ minLength: 1, maxLength: 64 }) }),
        response: { 200: response(Type.Null()) },
      },
    },
    async (request) => {
      await transferWorkspace(callerOf(request.actor), request.params.id, request.body.user_id);
      return { response: null };
    },
  );
}
