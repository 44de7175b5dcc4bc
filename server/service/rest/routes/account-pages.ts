import type { FastifyReply, FastifyRequest } from 'fastify';
import { userCreator } from '../../identity/creator.js';
import type { UserRecord } from '../../identity/users/users.js';
import type { App, RouteContext } from '../context.js';
import { addFormParser, fieldOf } from '../form-body.js';
import { safeNextPath } from '../next-path.js';
import { noRoute } from '../no-route.js';
import { invitationPage, setupPage, signedInPage, signInPage } from '../pages/account-pages.js';
import type { SentForm } from '../pages/account-pages.js';
import { problemOf } from '../pages/form-problems.js';
import type { FormProblem } from '../pages/form-problems.js';
import { languageOf, textsIn } from '../pages/texts.js';
import { sessionOfPage } from '../page-session.js';
import { connectionSignal } from '../request-body.js';
import { assertFormOrigin, assertSecureTransport, clearSessionCookie, setSessionCookie } from '../session-cookie.js';
import { clientOf } from '../sign-in-client.js';

/** Reads the path that a page continues with. A repeated parameter counts as none. */
function nextOfQuery({ query }: FastifyRequest): string | undefined {
  const { next } = query as { next?: unknown };
  return typeof next === 'string' ? safeNextPath(next) : undefined;
}

const page = { config: { access: 'everyone' as const, isPage: true } };

/** Pages for people: set-up, sign-in and invitation. They work without scripts. Register them in a scope of their own. */
export function accountPageRoutes(app: App, context: RouteContext): void {
  addFormParser(app);
  setupRoutes(app, context);
  invitationPageRoutes(app, context);
  signInPageRoutes(app, context);
  signOutRoute(app, context);
}

function setupRoutes(app: App, context: RouteContext): void {
  app.get('/setup', page, async (request, reply) => {
    await assertSetupIsOpen(context, request);
    return setupPage(reply, { language: languageOf(request), problem: transportProblem(context, request) });
  });
  app.post('/setup', page, async (request, reply) => {
    await assertSetupIsOpen(context, request);
    const sent = { ...personalData(request), email: fieldOf(request.body, 'email') };
    const claim = () => context.firstAdministrator.claim(sent.code, sent, connectionSignal(reply));
    return createAccount(context, request, reply, { page: setupPage, claim, linkText: 'setupLink' });
  });
}

/** @throws `NOT_FOUND` as for an unknown route, once a user exists. */
async function assertSetupIsOpen({ firstAdministrator }: RouteContext, request: FastifyRequest): Promise<void> {
  if (await firstAdministrator.isMissing()) return;
  throw noRoute(request);
}

function invitationPageRoutes(app: App, context: RouteContext): void {
  app.get('/invitation', page, async (request, reply) =>
    invitationPage(reply, {
      language: languageOf(request),
      problem: transportProblem(context, request),
      next: nextOfQuery(request),
    }),
  );
  app.post('/invitation', page, async (request, reply) => {
    const sent = personalData(request);
    const claim = () => context.invitations.accept(sent.code, sent, connectionSignal(reply));
    return createAccount(context, request, reply, { page: invitationPage, claim, linkText: 'invitationLink' });
  });
}

/** Reads the fields of both pages. People may paste the whole link instead of its code. */
function personalData(request: FastifyRequest) {
  const { body } = request;
  return {
    code: fieldOf(body, 'code').trim().replace(/^.*#/s, ''),
    name: fieldOf(body, 'name'),
    password: fieldOf(body, 'password'),
    language: languageOf(request),
    next: safeNextPath(fieldOf(body, 'next')),
  };
}

interface AccountCreation {
  page(reply: FastifyReply, sent: SentForm): FastifyReply;
  claim(): Promise<UserRecord>;
  linkText: 'setupLink' | 'invitationLink';
}

/** Creates the account of a one-time link and signs its user in. */
async function createAccount(
  context: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { page, claim, linkText }: AccountCreation,
): Promise<FastifyReply> {
  try {
    assertFormOrigin(context, request);
    assertSecureTransport(context, request);
    const { cookie } = await context.signIns.startFor(await claim(), clientOf(context, request));
    setSessionCookie(context, request, reply, cookie);
    return await reply.redirect(personalData(request).next ?? '/console', 303);
  } catch (error) {
    const { password, ...sent } = personalData(request);
    const problem = describeProblem(context, request, error, { linkText, password });
    return page(reply, { ...sent, email: fieldOf(request.body, 'email'), problem });
  }
}

function signInPageRoutes(app: App, context: RouteContext): void {
  app.get('/sign-in', page, async (request, reply) => {
    const next = nextOfQuery(request);
    const user = await signedInUser(context, request);
    if (user) return signedInPage(reply, { language: user.language, user, next });
    const problem = transportProblem(context, request);
    return signInPage(reply, { language: languageOf(request), problem, next, isRefused: problem !== undefined });
  });
  app.post('/sign-in', page, async (request, reply) => {
    const email = fieldOf(request.body, 'email');
    const password = fieldOf(request.body, 'password');
    const next = safeNextPath(fieldOf(request.body, 'next'));
    try {
      assertFormOrigin(context, request);
      assertSecureTransport(context, request);
      const { cookie } = await context.signIns.signIn({ email, password }, clientOf(context, request), connectionSignal(reply));
      setSessionCookie(context, request, reply, cookie);
      return await reply.redirect(next ?? '/console', 303);
    } catch (error) {
      const problem = describeProblem(context, request, error, { linkText: 'setupLink', password });
      return signInPage(reply, { language: languageOf(request), email, next, problem });
    }
  });
}

function signOutRoute(app: App, context: RouteContext): void {
  app.post('/sign-out', page, async (request, reply) => {
    assertFormOrigin(context, request);
    const session = await sessionOfPage(context, request);
    if (session) await context.signIns.signOut(userCreator(session.userId), session.userId, session.id);
    clearSessionCookie(context, request, reply);
    const next = safeNextPath(fieldOf(request.body, 'next'));
    const path = next === undefined ? '/sign-in' : `/sign-in?next=${encodeURIComponent(next)}`;
    return reply.header('Cache-Control', 'no-store').redirect(path, 303);
  });
}

async function signedInUser(context: RouteContext, request: FastifyRequest): Promise<UserRecord | undefined> {
  const session = await sessionOfPage(context, request);
  return session && context.users.get(session.userId);
}

/** States on an empty page already that the connection is not safe for a password. */
function transportProblem(context: RouteContext, request: FastifyRequest): FormProblem | undefined {
  try {
    assertSecureTransport(context, request);
    return undefined;
  } catch (error) {
    return describeProblem(context, request, error, { linkText: 'setupLink', password: '' });
  }
}

/** Describes an error in the language of the page, and sets the headers that belong to it. */
function describeProblem(
  context: RouteContext,
  request: FastifyRequest,
  error: unknown,
  { linkText, password }: { linkText: 'setupLink' | 'invitationLink'; password: string },
): FormProblem {
  const texts = textsIn(languageOf(request));
  const url = `${context.baseUrl(request)}${request.url.replace(/\?.*$/s, '')}`;
  return problemOf(error, { texts, linkText: texts.problems[linkText], url, sent: { password } });
}
