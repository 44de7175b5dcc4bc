import { Type } from '@fastify/type-provider-typebox';
import type { TSchema, TUnsafe } from '@fastify/type-provider-typebox';
import { PERMISSIONS } from '../../../identity/workspaces/permissions.js';
import { FOLDER_COLORS } from '../../../identity/organization/organization.js';
import { RESOURCE_TYPES } from '../../../identity/organization/view.js';
import { nullable, Time } from '../../openapi/schemas.js';

/** Creates a union of literals. Its type is stated, because TypeScript infers none from a list. */
export const oneOf = <T extends string>(values: readonly T[]): TUnsafe<T> =>
  Type.Union(values.map((value) => Type.Literal(value))) as TSchema as TUnsafe<T>;

const Id = Type.String({ minLength: 1, maxLength: 64 });
/** No text of spaces alone. */
export const Name = Type.String({ minLength: 1, maxLength: 60, pattern: '\\S' });

export const WorkspaceParams = Type.Object({ id: Id });
export const MemberParams = Type.Object({ id: Id, user_id: Id });
export const RoleParams = Type.Object({ id: Id, role_id: Id });
export const InviteParams = Type.Object({ id: Id, invite_id: Id });

export const Permissions = Type.Array(oneOf(PERMISSIONS), { maxItems: PERMISSIONS.length });

const workspaceFields = {
  id: Type.String(),
  name: Type.String(),
  owner_id: Type.String(),
  permissions: Permissions,
  created_at: Time,
  updated_at: Time,
};
export const Workspace = Type.Object(workspaceFields, { $id: 'Workspace' });

export const Member = Type.Object(
  {
    user_id: Type.String(),
    name: Type.String(),
    email: Type.String(),
    role_id: Type.String(),
    role: Type.String({ description: 'Name of the role.' }),
    expires_at: nullable(Time),
    joined_at: Time,
  },
  { $id: 'WorkspaceMember' },
);

export const Role = Type.Object(
  { id: Type.String(), name: Type.String(), permissions: Permissions, created_at: Time, updated_at: Time },
  { $id: 'WorkspaceRole' },
);

const folderFields = {
  id: Type.String(),
  name: Type.String(),
  color: oneOf(FOLDER_COLORS),
  position: Type.Integer(),
  created_at: Time,
};
export const Folder = Type.Object(folderFields, { $id: 'ResourceFolder' });
/** Has no `$id`, because Fastify's serializer accepts each id once in a schema. */
const PlacedResource = Type.Object({
  resource_type: oneOf(RESOURCE_TYPES),
  resource_id: Type.String(),
  position: Type.Integer(),
});
export const Organization = Type.Object(
  {
    folders: Type.Array(Type.Object({ ...folderFields, resources: Type.Array(PlacedResource) })),
    favorites: Type.Array(PlacedResource),
  },
  { $id: 'ResourceOrganization' },
);

export const WorkspaceDetails = Type.Object(
  {
    ...workspaceFields,
    owner: Type.Object({ user_id: Type.String(), name: Type.String(), email: Type.String() }),
    members: Type.Array(Member, { description: 'Without the permission members:read, only the caller.' }),
    roles: Type.Array(Role, { description: 'Without the permission members:read, only the role of the caller.' }),
    resource_organization: Organization,
  },
  { $id: 'WorkspaceDetails' },
);

export const body = <T extends Record<string, TSchema>>(fields: T) => Type.Object(fields, { additionalProperties: false });
export const NoQuery = Type.Object({}, { additionalProperties: false });

/** Access of the routes that change a workspace. */
export const WRITE_ACCESS = { access: { scope: 'workspaces:write' } } as const;

/** Describes a route of workspaces, which has no query. */
export const documentation = (summary: string, description?: string) => ({
  summary,
  ...(description !== undefined && { description }),
  tags: ['workspaces'],
  querystring: NoQuery,
});
