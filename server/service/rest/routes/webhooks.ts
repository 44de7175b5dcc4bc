import { Type } from '@fastify/type-provider-typebox';
import { PATH } from '../../../../src/protocol/limits.js';
import { requireScope } from '../../identity/authorize.js';
import { creatorOf } from '../../identity/creator-of-actor.js';
import { SECRET_OVERLAP } from '../../webhooks/webhooks.js';
import type { App, RouteContext } from '../context.js';
import { IdParams, nullable, response, Time, WorkspaceQuery } from '../openapi/schemas.js';

const read = { access: { scope: 'blob:read' } } as const;
const write = { access: { scope: 'blob:write' } } as const;
const querystring = Type.Object(WorkspaceQuery, { additionalProperties: false });

export const WebhookEventName = Type.Union([
  Type.Literal('file.created'),
  Type.Literal('file.updated'),
  Type.Literal('file.deleted'),
  Type.Literal('file.scanned'),
  Type.Literal('upload.failed'),
]);
const url = Type.String({
  minLength: 1,
  maxLength: 2048,
  description: 'http or https, on the public internet unless the operator allows its address. It receives POST requests.',
});
const events = Type.Array(WebhookEventName, { minItems: 1, maxItems: 5 });
const prefix = Type.String({ maxLength: PATH.maxBytes, description: 'The folder whose events are sent; empty for all files.' });
const description = Type.String({ maxLength: 200 });

const fields = {
  id: Type.String(),
  url,
  description,
  events,
  prefix,
  status: Type.Union([Type.Literal('enabled'), Type.Literal('disabled'), Type.Literal('suspended')], {
    description: 'A disabled or suspended webhook records no events.',
  }),
  suspended_reason: nullable(
    Type.Union([Type.Literal('failing'), Type.Literal('gone'), Type.Literal('backlog'), Type.Literal('permission')], {
      description:
        'failing: no delivery succeeded for five days. gone: the endpoint responded with 410. backlog: too many deliveries waited. permission: the key or member that created it may no longer read.',
    }),
  ),
  suspended_at: nullable(Time),
  failing_since: nullable(Time),
  previous_secret_expires_at: nullable(Time),
  created_at: Time,
};
const Webhook = Type.Object(fields, { $id: 'Webhook' });
const WebhookWithSecret = Type.Object(
  { ...fields, secret: Type.String({ description: 'Signs the deliveries. Cannot be read again.' }) },
  { $id: 'WebhookWithSecret' },
);

const documentation = (summary: string) => ({ summary, tags: ['webhooks'], querystring });

/** Routes for webhooks. Events describe private files, so creating and changing a webhook requires `blob:read` too. */
export function webhookRoutes(app: App, context: RouteContext): void {
  listWebhooksRoute(app, context);
  createWebhookRoute(app, context);
  readWebhookRoute(app, context);
  changeWebhookRoute(app, context);
  rotateSecretRoute(app, context);
  deleteWebhookRoute(app, context);
}

function listWebhooksRoute(app: App, { webhooks }: RouteContext): void {
  app.get(
    '/v1/webhooks',
    {
      config: read,
      schema: { ...documentation('List webhooks'), response: { 200: response(Type.Object({ webhooks: Type.Array(Webhook) })) } },
    },
    async (request) => ({ response: { webhooks: await webhooks.list(request.actor.storage) } }),
  );
}

function createWebhookRoute(app: App, { webhooks }: RouteContext): void {
  app.post(
    '/v1/webhooks',
    {
      config: write,
      schema: {
        ...documentation('Create a webhook'),
        description: 'The webhook ends with the API key that creates it. A storage has at most 10 webhooks.',
        body: Type.Object(
          { url, events, prefix: Type.Optional(prefix), description: Type.Optional(description) },
          { additionalProperties: false },
        ),
        response: { 201: response(WebhookWithSecret) },
      },
    },
    async (request, reply) => {
      const { actor } = request;
      requireScope(actor, 'blob:read');
      const created = await webhooks.create(actor.storage, creatorOf(actor), request.body);
      return reply.code(201).header('Cache-Control', 'no-store').send({ response: created });
    },
  );
}

function readWebhookRoute(app: App, { webhooks }: RouteContext): void {
  app.get(
    '/v1/webhooks/:id',
    { config: read, schema: { ...documentation('Read a webhook'), params: IdParams, response: { 200: response(Webhook) } } },
    async (request) => ({ response: await webhooks.get(request.actor.storage, request.params.id) }),
  );
}

function changeWebhookRoute(app: App, { webhooks }: RouteContext): void {
  app.patch(
    '/v1/webhooks/:id',
    {
      config: write,
      schema: {
        ...documentation('Change, enable or disable a webhook'),
        description: 'Enabling a suspended webhook ends the suspension. Its pending deliveries are sent.',
        params: IdParams,
        body: Type.Partial(
          Type.Object({
            url,
            events,
            prefix,
            description,
            status: Type.Union([Type.Literal('enabled'), Type.Literal('disabled')]),
          }),
          { additionalProperties: false },
        ),
        response: { 200: response(Webhook) },
      },
    },
    async ({ actor, params: { id }, body }) => {
      requireScope(actor, 'blob:read');
      return { response: await webhooks.change(actor.storage, id, creatorOf(actor), body) };
    },
  );
}

function rotateSecretRoute(app: App, { webhooks }: RouteContext): void {
  app.post(
    '/v1/webhooks/:id/rotate',
    {
      config: write,
      schema: {
        ...documentation('Replace the secret of a webhook'),
        description: 'Until the overlap ends, each delivery has a signature of both secrets.',
        params: IdParams,
        body: Type.Object(
          {
            overlap: Type.Optional(
              Type.Integer({
                minimum: SECRET_OVERLAP.min,
                maximum: SECRET_OVERLAP.max,
                default: SECRET_OVERLAP.default,
                description: 'Seconds for which the earlier secret signs too.',
              }),
            ),
          },
          { additionalProperties: false },
        ),
        response: { 200: response(WebhookWithSecret) },
      },
      // Without a body, the overlap has its default.
      preValidation: async (request) => void (request.body ??= {}),
    },
    async ({ actor, params: { id }, body }, reply) => {
      requireScope(actor, 'blob:read');
      const rotated = await webhooks.rotate(actor.storage, id, creatorOf(actor), body.overlap ?? SECRET_OVERLAP.default);
      return reply.header('Cache-Control', 'no-store').send({ response: rotated });
    },
  );
}

function deleteWebhookRoute(app: App, { webhooks }: RouteContext): void {
  app.delete(
    '/v1/webhooks/:id',
    {
      config: write,
      schema: { ...documentation('Delete a webhook'), params: IdParams, response: { 200: response(Type.Null()) } },
    },
    async ({ actor, params: { id } }) => {
      await webhooks.delete(actor.storage, id, creatorOf(actor));
      return { response: null };
    },
  );
}
