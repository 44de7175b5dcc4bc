import { Type } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import { RESOURCE_TYPES } from '../../../identity/organization/view.js';
import type { Resource } from '../../../identity/organization/view.js';
import type { Scope } from '../../../identity/scopes.js';
import { NoQuery, oneOf } from './schemas.js';

/** A base address of folders and favorites: a workspace, or the user alone. */
export interface OrganizationBase {
  path: string;
  access: { scope: Scope };
  /** Tag in the API documentation. */
  tag: string;
  /** Added to the summary of each route. */
  place: string;
}

export const ORGANIZATION_BASES: readonly OrganizationBase[] = [
  { path: '/v1/workspaces/:id', access: { scope: 'workspaces:write' }, tag: 'workspaces', place: ' in a workspace' },
  { path: '/v1/users/me', access: { scope: 'account:write' }, tag: 'users', place: '' },
];

const Id = Type.String({ minLength: 1, maxLength: 64 });
/** Empty in the routes without the parameter. */
const optional = { id: Type.Optional(Id) };

export const FoldersParams = Type.Object(optional);
export const FolderParams = Type.Object({ ...optional, folder_id: Id });
const resourceFields = { resource_type: oneOf(RESOURCE_TYPES), resource_id: Type.String({ minLength: 1, maxLength: 255 }) };
export const FavoriteParams = Type.Object({ ...optional, ...resourceFields });
export const FolderResourceParams = Type.Object({ ...optional, folder_id: Id, ...resourceFields });

export const Position = Type.Optional(
  Type.Integer({ minimum: 0, maximum: 1_000_000, description: 'From 0. Positions beyond the end mean the end.' }),
);

/** The optional body of routes that place a resource. */
export const Placement = Type.Object({ position: Position }, { additionalProperties: false });
export const allowNoBody = async (request: FastifyRequest): Promise<void> => void (request.body ??= {});

export const resourceOf = (params: { resource_type: Resource['type']; resource_id: string }): Resource => ({
  type: params.resource_type,
  id: params.resource_id,
});

export const documentation = (base: OrganizationBase, summary: string) => ({
  summary: summary + base.place,
  tags: [base.tag],
  querystring: NoQuery,
});
