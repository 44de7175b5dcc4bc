import type { FastifyRequest } from 'fastify';
import type { SignInClient } from '../identity/users/sign-ins.js';

/** Describes the browser or program that signs in, for the list of sessions. */
export const clientOf = (request: FastifyRequest): SignInClient => ({
  ip: request.ip,
  userAgent: request.headers['user-agent'] ?? '',
});
