import { Type } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import { BlobError } from '../../../../src/protocol/errors.js';
import { platformError } from '../../../../src/protocol/platform-errors.js';
import { creatorOf } from '../../identity/creator-of-actor.js';
import { PASSWORD_LENGTH } from '../../identity/users/passwords.js';
import { MAX_NAME, parseName } from '../../identity/users/user-fields.js';
import { userNotFound } from '../../identity/users/users.js';
import type { App, RouteContext } from '../context.js';
import { response } from '../openapi/schemas.js';
import { LanguageField, User } from '../openapi/user-schemas.js';
import { connectionSignal } from '../request-body.js';

const ProfileFields = Type.Object(
  {
    name: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_NAME })),
    language: Type.Optional(LanguageField),
    workspace_invites_enabled: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false, minProperties: 1 },
);

/** Returns the user of a session, or of the account that owns the key. @throws `USER_NOT_FOUND` for a key of an account without a user. */
export function requireUser({ actor }: FastifyRequest): string {
  if (actor.userId === undefined) throw userNotFound();
  return actor.userId;
}

/** Defines the routes for the profile of the signed-in user. */
export function userRoutes(app: App, context: RouteContext): void {
  readUserRoute(app, context);
  changeUserRoute(app, context);
  changePasswordRoute(app, context);
}

function readUserRoute(app: App, { users }: RouteContext): void {
  app.get(
    '/v1/users/me',
    {
      config: { access: { scope: 'account:read' } },
      schema: { summary: 'Read your profile', tags: ['users'], response: { 200: response(User) } },
    },
    async (request) => ({ response: await users.get(requireUser(request)) }),
  );
}

function changeUserRoute(app: App, { users }: RouteContext): void {
  app.patch(
    '/v1/users/me',
    {
      config: { access: { scope: 'account:write' } },
      schema: {
        summary: 'Change your profile',
        description: 'Send at least one field.',
        tags: ['users'],
        body: ProfileFields,
        response: { 200: response(User) },
      },
      // Its errors have a code of their own.
      attachValidation: true,
    },
    async (request) => {
      const userId = requireUser(request);
      if (request.validationError) throw invalidPayload(request.validationError);
      const { name, ...fields } = request.body;
      const trimmed = name === undefined ? {} : { name: nameOf(name) };
      return { response: await users.change(userId, creatorOf(request.actor), { ...fields, ...trimmed }) };
    },
  );
}

function nameOf(name: string): string {
  try {
    return parseName(name);
  } catch (cause) {
    throw invalidPayload(cause);
  }
}

/** Converts a validation error to `INVALID_PAYLOAD`, the code of this route. */
function invalidPayload(cause: unknown): BlobError {
  const { message, path, details } = cause as BlobError;
  return platformError('INVALID_PAYLOAD', message, { ...(path !== undefined && { path }), ...(details && { details }), cause });
}

function changePasswordRoute(app: App, { userPasswords }: RouteContext): void {
  app.post(
    '/v1/users/me/password',
    {
      config: { access: { session: 'only' } },
      schema: {
        summary: 'Change your password',
        tags: ['users'],
        body: Type.Object(
          {
            current_password: Type.String({ minLength: 1, maxLength: PASSWORD_LENGTH.max }),
            password: Type.String({ minLength: PASSWORD_LENGTH.min, maxLength: PASSWORD_LENGTH.max }),
            end_other_sessions: Type.Optional(Type.Boolean({ default: false })),
          },
          { additionalProperties: false },
        ),
        response: { 200: response(Type.Null()) },
      },
    },
    async (request, reply) => {
      const { current_password: current, password: next, end_other_sessions: endOtherSessions = false } = request.body;
      const change = { current, next, endOtherSessions };
      const { actor } = request;
      await userPasswords.change(actor.session!, creatorOf(actor), change, request.ip, connectionSignal(reply));
      return { response: null };
    },
  );
}
