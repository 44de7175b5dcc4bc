import { Type } from '@fastify/type-provider-typebox';
import { BlobError } from '../../../../src/protocol/errors.js';
import { IMAGE, LINK } from '../../../../src/protocol/limits.js';
import { creatorOf } from '../../identity/creator-of-actor.js';
import { FITS, FORMATS, readTransform, transformQuery } from '../../images/transform.js';
import type { App, RouteContext } from '../context.js';
import { publicUrl } from '../file-json.js';
import { IdParams, response, Time, WorkspaceQuery } from '../openapi/schemas.js';

const side = Type.Integer({ minimum: IMAGE.side.min, maximum: IMAGE.side.max, description: 'Pixels.' });
const Transform = Type.Object(
  {
    w: Type.Optional(side),
    h: Type.Optional(side),
    fit: Type.Optional(Type.String({ enum: [...FITS], default: FITS[0] })),
    format: Type.Optional(Type.String({ enum: [...FORMATS], default: FORMATS[0] })),
    q: Type.Optional(Type.Integer({ minimum: IMAGE.quality.min, maximum: IMAGE.quality.max, default: IMAGE.quality.default })),
  },
  {
    additionalProperties: false,
    minProperties: 1,
    description: 'The link opens this resized image and not the file. States at least `w` or `h`.',
  },
);

const LinkOptions = Type.Object(
  {
    expires_in: Type.Optional(
      Type.Integer({
        minimum: LINK.expiresIn.min,
        maximum: LINK.expiresIn.max,
        default: LINK.expiresIn.default,
        description: 'Seconds.',
      }),
    ),
    transform: Type.Optional(Transform),
  },
  { additionalProperties: false },
);

/** Defines the routes of temporary links to private files. */
export function linkRoutes(app: App, context: RouteContext): void {
  app.post(
    '/v1/files/:id/links',
    {
      config: { access: { scope: 'blob:read' } },
      schema: {
        summary: 'Create a temporary link to a file',
        description: 'The link ends with the API key that creates it and inherits its allowed IPs.',
        tags: ['files'],
        params: IdParams,
        querystring: Type.Object(WorkspaceQuery, { additionalProperties: false }),
        body: LinkOptions,
        response: { 201: response(Type.Object({ url: Type.String(), expires_at: Time })) },
      },
      // Without a body, all options have their defaults.
      preValidation: async (request) => void (request.body ??= {}),
    },
    async (request, reply) => {
      const { id } = request.params;
      const file = await context.blobs.getById(request.actor.storage, id);
      if (!file) throw new BlobError('FILE_NOT_FOUND', `There is no file ${id}.`, { details: { id } });
      const { expires_in = LINK.expiresIn.default, transform: parameters = {} } = request.body;
      const transform = readTransform(parameters);
      const expires = Math.ceil(context.now() / 1000) + expires_in;
      const image = transform && transformQuery(transform);
      const query = context.links.query(file, expires, creatorOf(request.actor), image);
      const url = `${publicUrl(file, context.contentUrl(request))}?${query}`;
      return reply
        .code(201)
        .header('Cache-Control', 'no-store')
        .send({ response: { url, expires_at: new Date(expires * 1000).toISOString() } });
    },
  );
}
