// Sign-in, invites and consent in a browser: without a pointer, on narrow windows, and against pages of other origins.
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { authorizePath, newClient, newVerifier } from '../service/oauth-flow.js';
import { signIn } from '../service/session-client.js';
import type { SignedInUser } from '../service/session-client.js';
import { TestService } from '../service/support.js';
import { createWorkspace, expectStatus } from '../service/workspace-client.js';
import { closeContexts, useChromium, openWatchedPage, findAxeViolations } from './chromium-page.js';

const PASSWORD = 'violet anchor tunnel';
let service: TestService;
let browser: Browser;
/** Another origin: the client of OAuth, and an attacker. */
let other: Server;
let otherUrl: string;
/** The next response of the other origin. */
let markup = '';
let received: string[] = [];
let passwordHash: string;
let context: BrowserContext;

beforeAll(async () => {
  [service, browser] = await Promise.all([TestService.start(), useChromium()]);
  passwordHash = await service.service.core.passwords.hash(PASSWORD);
  other = createServer((request, response) => {
    received.push(request.url!);
    response.setHeader('Content-Type', 'text/html').end(`<!doctype html><title>Other</title>${markup}`);
  });
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  otherUrl = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await closeContexts(browser);
  await service?.stop();
  other?.close();
});
afterEach(async () => {
  received = [];
  markup = '';
  await context?.close();
});

async function open(options: BrowserContextOptions = {}): Promise<Page> {
  // A policy of the browser, not of the test, forbids scripts.
  context = await browser.newContext({ javaScriptEnabled: false, ...options });
  return context.newPage();
}

const useCookie = ({ cookie }: Pick<SignedInUser, 'cookie'>) => {
  const [name, value] = cookie.split('=') as [string, string];
  return context.addCookies([{ name, value, url: service.url }]);
};

const consentUrl = async (name = 'Editor') =>
  service.url +
  authorizePath(await newClient(service, name, `${otherUrl}/callback`), newVerifier(), { redirect_uri: `${otherUrl}/callback` });

async function fillSignIn(page: Page, email: string): Promise<void> {
  await page.locator('[name=email]').fill(email);
  await page.locator('[name=password]').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Clicks twice at once, like a person in a hurry. @returns for each click whether its form was held back */
const clickTwice = (page: Page, name: string): Promise<boolean[]> =>
  page.getByRole('button', { name }).evaluate((button: HTMLButtonElement) => {
    const results: boolean[] = [];
    addEventListener('submit', (event) => results.push(event.defaultPrevented));
    button.click();
    button.click();
    return results;
  });

describe('the account pages', () => {
  it('sign in and give consent with the keyboard alone', async () => {
    const { user } = await signIn(service, { passwordHash });
    const page = await open();
    await page.goto(await consentUrl());
    await page.locator('[name=email]:focus').waitFor();
    await page.keyboard.type(user.email);
    await page.keyboard.press('Tab');
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/oauth\/authorize/);
    // The first key reaches the first permission, the last two the buttons.
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    expect(await page.locator('[type=checkbox]').first().isChecked()).toBe(false);
    for (const expected of ['scope.blob:write', 'deny', 'allow']) {
      await page.keyboard.press('Tab');
      const focused = page.locator(':focus');
      expect(`${await focused.getAttribute('name')} ${await focused.getAttribute('value')}`).toContain(expected);
    }
    await page.keyboard.press('Enter');
    await page.waitForURL(`${otherUrl}/callback*`);
    expect(received.find((url) => url.startsWith('/callback'))).toMatch(/[?&]code=/);
  });

  it.each<BrowserContextOptions>([
    { colorScheme: 'light', viewport: { width: 320, height: 256 } },
    { colorScheme: 'dark', viewport: { width: 320, height: 256 }, locale: 'pt-BR' },
    { forcedColors: 'active', viewport: { width: 320, height: 256 }, locale: 'es-ES' },
  ])('fit a window of 320 pixels and have no violation of axe: %j', async (options) => {
    context = await browser.newContext({ ...options, bypassCSP: true });
    const watched = await openWatchedPage(context);
    const urls = [`${service.url}/sign-in`, `${service.url}/invitation`, `${service.url}/oauth/authorize?client_id=svcc_x`];
    await watched.page.goto(urls[0]!);
    const look = async () => {
      expect(await findAxeViolations(watched)).toEqual([]);
      const { width, clientWidth } = await watched.page.evaluate(() => ({
        width: document.documentElement.scrollWidth,
        clientWidth: document.documentElement.clientWidth,
      }));
      expect([watched.page.url(), width]).toEqual([watched.page.url(), clientWidth]);
    };
    for (const url of urls) {
      await watched.page.goto(url);
      await look();
    }
    await useCookie(await signIn(service));
    await watched.page.goto(await consentUrl('W'.repeat(60)));
    await look();
  });
});

describe('a one-time link', () => {
  it('fills in its code also on a page that is open already', async () => {
    const page = await open({ javaScriptEnabled: true });
    await page.goto(`${service.url}/invitation`);
    await page.goto(`${service.url}/invitation#the-code`);
    await page.locator('.linked').waitFor();
    expect(await page.locator('#code').inputValue()).toBe('the-code');
    expect(page.url()).toBe(`${service.url}/invitation`);
  });
});

describe('the account pages, attacked from a browser', () => {
  it('are not shown in a frame of another origin', async () => {
    const page = await open();
    await useCookie(await signIn(service));
    markup = `<iframe src="${await consentUrl()}"></iframe><iframe src="${service.url}/sign-in"></iframe>`;
    await page.goto(otherUrl);
    const frames = await Promise.all(
      page
        .frames()
        .slice(1)
        .map((frame) => frame.content()),
    );
    expect(frames).toHaveLength(2);
    for (const content of frames) expect(content).not.toMatch(/name="consent"|sign-out|name="password"/);
  });

  it.each(['/sign-out', '/sign-in', '/oauth/consent'])('take no form for %s from another port', async (path) => {
    const page = await open();
    const user = await signIn(service, { passwordHash });
    await useCookie(user);
    markup = `<form method="post" action="${service.url}${path}"><input name="email" value="${user.user.email}"><input name="password" value="${PASSWORD}"><input name="consent" value="x"><input name="decision" value="allow"><button>Go</button></form>`;
    await page.goto(otherUrl);
    const [response] = await Promise.all([
      page.waitForResponse((candidate) => candidate.url() === service.url + path),
      page.getByRole('button').click(),
    ]);
    expect([response.status(), await response.headerValue('content-type')]).toEqual([403, 'text/html; charset=utf-8']);
    expect((await user.call('GET', '/v1/users/me')).status).toBe(200);
  });

  it.each([
    (url: string) => url.replace('http:', ''),
    (url: string) => url,
    (url: string) => `/\\${url.slice(7)}`,
    (url: string) => `/\t/${url.slice(7)}`,
    (url: string) => `/docs\r\nLocation: ${url}`,
  ])('continue on their own origin after a sign-in whose parameter leads elsewhere', async (next) => {
    const { user } = await signIn(service, { passwordHash });
    const page = await open();
    await page.goto(`${service.url}/sign-in?next=${encodeURIComponent(next(otherUrl))}`);
    await fillSignIn(page, user.email);
    await page.waitForURL(`${service.url}/console`);
    expect([new URL(page.url()).origin, received]).toEqual([new URL(service.url).origin, []]);
  });

  it('show nothing of a user with the back button after the sign-out', async () => {
    const page = await open({ javaScriptEnabled: true });
    const user = await signIn(service);
    await useCookie(user);
    await page.goto(await consentUrl());
    await page.goto(`${service.url}/sign-in`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Password').waitFor();
    await page.goBack();
    await page.goBack();
    expect(await page.content()).not.toContain(user.user.email);
  });

  it('ask the user of the current session again, if another user saw the invite', async () => {
    const workspace = await createWorkspace(service, await signIn(service));
    const role = await workspace.roleNamed('viewer');
    const { url } = expectStatus(await workspace.call<{ url: string }>('POST', '/invites', { role_id: role.id }), 201);
    const [first, second] = [await signIn(service), await signIn(service)];
    const page = await open();
    await useCookie(first);
    await page.goto(url);
    await page.getByText(first.user.email).waitFor();
    // A second tab of the browser signs in another user.
    await useCookie(second);
    await page.getByRole('button', { name: 'Accept' }).click();
    await page.getByText(second.user.email).waitFor();
    await page.getByRole('alert').getByText('signed in as another user now').waitFor();
    expect(await service.service.core.memberships.find(workspace.id, second.user.id)).toBeUndefined();
    await page.getByRole('button', { name: 'Accept' }).click();
    await page.getByRole('heading', { name: 'You’re a member of “Team”' }).waitFor();
  });

  it('refuse the consent that another user saw', async () => {
    const page = await open();
    await useCookie(await signIn(service));
    await page.goto(await consentUrl());
    await useCookie(await signIn(service));
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByRole('heading', { name: 'This connection can’t continue' }).waitFor();
    expect(received).toEqual([]);
  });

  it('send the consent of a user who clicks twice once', async () => {
    const page = await open({ javaScriptEnabled: true });
    await useCookie(await signIn(service));
    await page.goto(await consentUrl());
    expect(await clickTwice(page, 'Allow')).toEqual([false, true]);
    await page.waitForURL(`${otherUrl}/callback*`);
    expect(received.filter((url) => url.includes('code='))).toHaveLength(1);
  });

  it('sign in an invited user who clicks twice', async () => {
    const boss = await signIn(service, { isAdmin: true });
    const invite = { body: { email: 'ben@example.org' } };
    const { response } = await boss.call<{ url: string }>('POST', '/v1/users/invitations', invite);
    const page = await open({ javaScriptEnabled: true });
    await page.goto(response.url);
    await page.locator('[name=name]').fill('Ben');
    await page.locator('[name=password]').fill(PASSWORD);
    expect(await clickTwice(page, 'Create account')).toEqual([false, true]);
    await page.waitForURL(`${service.url}/console*`);
  });

  it('respond to huge fields with a page', async () => {
    const page = await open({ javaScriptEnabled: true });
    await page.goto(`${service.url}/sign-in`);
    await page.locator('[name=email]').evaluate((field) => {
      field.removeAttribute('maxlength');
      Object.assign(field, { type: 'text', value: 'a'.repeat(1_000_000) });
    });
    await page.locator('[name=password]').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Something went wrong' }).waitFor();
    expect((await page.content()).length).toBeLessThan(20_000);
  });

  it('ignore parameters and headers that name no language', async () => {
    const page = await open({ extraHTTPHeaders: { 'Accept-Language': '"><script>, pt;q="x", ../es;q=2, es-ES;q=0.1' } });
    await page.goto(`${service.url}/sign-in?lang=%22%3E%3Cscript%3E&ui_locales=pt-BR&language=../../pt`);
    expect(await page.content()).not.toContain('<script>');
    expect(await page.getByRole('heading').textContent()).toBe('Iniciar sesión');
  });
});
