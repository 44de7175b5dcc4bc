import { Type } from '@fastify/type-provider-typebox';
import { Time } from './schemas.js';

export const LanguageField = Type.Union([Type.Literal('pt-br'), Type.Literal('en-us'), Type.Literal('es-es')]);

export const User = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    email: Type.String(),
    language: LanguageField,
    workspace_invites_enabled: Type.Boolean({ description: 'Whether others may invite the user to workspaces.' }),
    plan_id: Type.Integer(),
    is_admin: Type.Boolean(),
    created_at: Time,
    updated_at: Time,
  },
  { $id: 'User' },
);

export const Session = Type.Object(
  {
    id: Type.String(),
    current: Type.Boolean({ description: 'Whether the request uses this session.' }),
    ip: Type.String({ description: 'Address of the sign-in.' }),
    user_agent: Type.String(),
    created_at: Time,
    last_used_at: Time,
  },
  { $id: 'Session' },
);

export const Invitation = Type.Object(
  {
    id: Type.String(),
    email: Type.String(),
    url: Type.String({ description: 'The link to send to the person. It works once and cannot be read again.' }),
    expires_at: Time,
  },
  { $id: 'Invitation' },
);
