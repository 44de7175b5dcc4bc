import { Type } from '@fastify/type-provider-typebox';
import { LIST } from '../../../../src/protocol/limits.js';
import { requireScope } from '../../identity/authorize.js';
import { payloadOf } from '../../webhooks/send-delivery.js';
import { toDelivery } from '../../webhooks/webhook-rows.js';
import type { App, RouteContext } from '../context.js';
import { fileJson } from '../file-json.js';
import { IdParams, limitField, nullable, response, Time, WorkspaceQuery } from '../openapi/schemas.js';
import { WebhookEventName } from './webhooks.js';

const read = { access: { scope: 'blob:read' } } as const;
const querystring = Type.Object(WorkspaceQuery, { additionalProperties: false });
const DeliveryParams = Type.Object({ ...IdParams.properties, delivery_id: Type.String({ minLength: 1, maxLength: 64 }) });
const Status = Type.Union([Type.Literal('pending'), Type.Literal('delivered'), Type.Literal('failed')]);

const fields = {
  id: Type.String({ description: 'Sent as `webhook-id`. Repeated attempts have the same id.' }),
  event: WebhookEventName,
  status: Status,
  attempts: Type.Array(
    Type.Object({
      at: Time,
      status: nullable(Type.Integer({ description: 'HTTP status; null without a response.' })),
      error: nullable(Type.String({ description: 'address_refused, unresolved, connection, timeout or invalid_url.' })),
      duration_ms: Type.Integer(),
    }),
    { description: 'The last attempts, oldest first.' },
  ),
  next_attempt_at: nullable(Time),
  created_at: Time,
  settled_at: nullable(Time),
};
const Delivery = Type.Object(fields, { $id: 'WebhookDelivery' });
const DeliveryWithPayload = Type.Object(
  { ...fields, payload: Type.Record(Type.String(), Type.Unknown(), { description: 'The body of the request.' }) },
  { $id: 'WebhookDeliveryWithPayload' },
);

const tags = ['webhooks'];

/** Routes for the deliveries of a webhook. They are kept for seven days. */
export function webhookDeliveryRoutes(app: App, context: RouteContext): void {
  listDeliveriesRoute(app, context);
  readDeliveryRoute(app, context);
  repeatDeliveryRoute(app, context);
}

function listDeliveriesRoute(app: App, { webhooks, webhookDeliveries }: RouteContext): void {
  app.get(
    '/v1/webhooks/:id/deliveries',
    {
      config: read,
      schema: {
        summary: 'List the deliveries of a webhook, newest first',
        tags,
        params: IdParams,
        querystring: Type.Object(
          {
            status: Type.Optional(Status),
            limit: limitField,
            cursor: Type.Optional(Type.String({ maxLength: 64 })),
            ...WorkspaceQuery,
          },
          { additionalProperties: false },
        ),
        response: { 200: response(Type.Object({ deliveries: Type.Array(Delivery), cursor: nullable(Type.String()) })) },
      },
    },
    async ({ actor, params: { id }, query: { status, cursor, limit = LIST.limit.default } }) => {
      await webhooks.get(actor.storage, id);
      const found = await webhookDeliveries.list(id, {
        limit: limit + 1,
        ...(status !== undefined && { status }),
        ...(cursor !== undefined && { after: cursor }),
      });
      const page = found.slice(0, limit);
      return { response: { deliveries: page.map(toDelivery), cursor: found.length > limit ? page.at(-1)!.id : null } };
    },
  );
}

function readDeliveryRoute(app: App, context: RouteContext): void {
  app.get(
    '/v1/webhooks/:id/deliveries/:delivery_id',
    {
      config: read,
      schema: {
        summary: 'Read a delivery with its payload',
        tags,
        params: DeliveryParams,
        querystring,
        response: { 200: response(DeliveryWithPayload) },
      },
    },
    async (request) => {
      const { id, delivery_id: deliveryId } = request.params;
      await context.webhooks.get(request.actor.storage, id);
      const delivery = await context.webhookDeliveries.get(id, deliveryId);
      const payload = payloadOf(delivery, (file) => fileJson(file, context.contentUrl(request)));
      return { response: { ...toDelivery(delivery), payload } };
    },
  );
}

function repeatDeliveryRoute(app: App, { webhooks, webhookDeliveries }: RouteContext): void {
  app.post(
    '/v1/webhooks/:id/deliveries/:delivery_id/repeat',
    {
      config: { access: { scope: 'blob:write' } },
      schema: {
        summary: 'Send a delivery again',
        description: 'It is sent with the same id as soon as possible. Its attempts count anew.',
        tags,
        params: DeliveryParams,
        querystring,
        response: { 200: response(Delivery) },
      },
    },
    async ({ actor, params: { id, delivery_id: deliveryId } }) => {
      await webhooks.get(actor.storage, id);
      requireScope(actor, 'blob:read');
      return { response: toDelivery(await webhookDeliveries.repeat(id, deliveryId)) };
    },
  );
}
