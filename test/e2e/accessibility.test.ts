// Long because it covers every way of using a page, with one site.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { SvcUploader } from '../../src/element/svc-uploader.js';
import { startFaultySite } from './faulty-site.js';
import type { FaultySite } from './faulty-site.js';
import { closeContexts, dragFiles, dropFiles, fileInputOf, useChromium, launchWholeChromium } from './chromium-page.js';
import { createFile } from './sample-files.js';

const MiB = 1024 ** 2;
let site: FaultySite;
let browser: Browser;
let folder: string;
let page: Page;

beforeAll(async () => {
  [site, browser, folder] = await Promise.all([startFaultySite(), useChromium(), mkdtemp(join(tmpdir(), 'svc-people-'))]);
});
afterAll(async () => {
  await closeContexts(browser);
  await site?.close();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(() => void site.startFolder());
const rules: { remove(): void }[] = [];
afterEach(async () => {
  for (const rule of rules.splice(0)) rule.remove();
  await page?.context().close();
});

async function visit(
  attributes: Record<string, string> = {},
  options: BrowserContextOptions = {},
  inside = browser,
): Promise<void> {
  page = await (await inside.newContext(options)).newPage();
  const labelled = { label: 'Attachments', hint: 'PDF or pictures', ...attributes };
  await page.goto(`${site.page}?${new URLSearchParams(labelled)}`);
  await page.getByRole('button', { name: 'Attachments: Choose' }).waitFor();
}

const some = () => Promise.all(['a.pdf', 'b.png', 'c.txt'].map((name, i) => createFile(folder, name, 2000 + i)));
const choose = (paths: string[]) => fileInputOf(page, 'svc-uploader').setInputFiles(paths);
const inElement = <T>(act: (el: SvcUploader) => T) => page.$eval('svc-uploader', act as (el: Element) => T) as Promise<T>;
const names = () => inElement((el) => el.uploads.map(({ name }) => name));
const stored = (count: number) =>
  expect.poll(() => inElement((el) => el.values.length), { timeout: 30_000, interval: 50 }).toBe(count);
/** Reads the label of the focused element, also inside the uploader. */
const focused = () =>
  page.evaluate(() => {
    let at = document.activeElement;
    while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
    return at?.getAttribute('aria-label') ?? at?.textContent?.trim();
  });
const slow = () => rules.push(site.proxy.on({ method: 'POST', path: '/v1/files', fault: { bytesPerSecond: MiB } }));

interface AxNode {
  role: string;
  name: string;
  description?: string;
  live?: string;
  pressed?: string;
}

/** Reads the accessibility tree as a screen reader gets it. */
async function accessibilityTree(): Promise<AxNode[]> {
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send('Accessibility.getFullAXTree');
  await session.detach();
  return nodes
    .filter(({ ignored }) => !ignored)
    .map(({ nodeId, role, name, description, properties = [] }) => {
      const value = (of: string) => properties.find((one) => one.name === of)?.value.value as string | undefined;
      const childNames = nodes
        .filter(({ parentId, ignored }) => parentId === nodeId && !ignored)
        .map((one) => String(one.name?.value));
      const node: AxNode = { role: String(role?.value), name: String(name?.value ?? '') };
      if (role?.value === 'status') node.name = childNames.join(' ');
      if (description?.value) node.description = String(description.value);
      if (value('live')) node.live = value('live')!;
      if (value('pressed') !== undefined) node.pressed = String(value('pressed'));
      return node;
    });
}

describe('a screen reader', () => {
  it('gets names, roles, descriptions and states of everything', async () => {
    await visit({ reorderable: '', 'max-size': '3MB' });
    const large = await createFile(folder, 'large.bin', 3 * MiB + 1);
    await choose([...(await some()).map(({ path }) => path), large.path]);
    await stored(3);
    await expect.poll(async () => (await accessibilityTree()).some(({ name }) => name === 'Move a.pdf')).toBe(true);
    const tree = await accessibilityTree();
    expect(tree).toContainEqual({ role: 'button', name: 'Attachments: Choose files', description: 'PDF or pictures' });
    expect(tree).toContainEqual({ role: 'list', name: 'Files' });
    expect(tree.filter(({ role }) => role === 'listitem')).toHaveLength(4);
    expect(tree).toContainEqual({ role: 'button', name: 'Remove a.pdf' });
    expect(tree).toContainEqual({ role: 'button', name: 'Move a.pdf', pressed: 'false' });
    expect(tree).toContainEqual({ role: 'button', name: 'Dismiss: large.bin' });
    expect(tree.map(({ name }) => name)).toContain('This file is larger than 3 MB. Choose a smaller file.');
    expect(tree.find(({ role }) => role === 'status')).toMatchObject({ live: 'polite' });
    // Drawings are silent, and every button has a name.
    expect(tree.filter(({ role }) => ['image', 'img', 'SvgRoot'].includes(role))).toEqual([]);
    expect(tree.filter(({ role, name }) => role === 'button' && name === '')).toEqual([]);
  });

  it('gets progress and the end in the live region', async () => {
    await visit();
    slow();
    const announcements: string[] = [];
    await choose([(await createFile(folder, 'slow.bin', 2 * MiB)).path]);
    const listen = async () => {
      const tree = await accessibilityTree();
      const text = tree.find(({ role }) => role === 'status')?.name;
      if (text && announcements.at(-1) !== text) announcements.push(text);
      return { bar: tree.some(({ role, name }) => role === 'progressbar' && name === 'slow.bin'), text: announcements.join(' ') };
    };
    await expect.poll(async () => (await listen()).bar, { timeout: 10_000, interval: 50 }).toBe(true);
    await expect.poll(async () => (await listen()).text, { timeout: 20_000, interval: 50 }).toContain('1 file uploaded.');
    expect(announcements[0]).toBe('1 file added.');
  });

  const readAnnouncement = async () =>
    (await accessibilityTree()).find(({ role, live }) => role === 'status' && live === 'polite')?.name;

  it('gets rejected and failed files, with advice', async () => {
    await visit({ 'max-size': '3MB' });
    await choose([(await createFile(folder, 'large.bin', 3 * MiB + 1)).path]);
    await expect.poll(readAnnouncement).toContain('large.bin: This file is larger than 3 MB. Choose a smaller file.');
    const response = { status: 409, body: { code: 'FILE_EXISTS', message: 'There is one.' } };
    rules.push(site.proxy.on({ method: 'POST', path: '/v1/files', fault: { respond: response } }));
    await choose([(await createFile(folder, 'twice.bin', 300_000)).path]);
    const why = 'A file with this name already exists. Rename your file and choose it again.';
    await expect.poll(readAnnouncement).toContain(`twice.bin: ${why}`);
    expect(await readAnnouncement()).toContain('1 not uploaded.');
    const tree = await accessibilityTree();
    expect(
      tree.map(({ name }) => name),
      'the row shows it as well',
    ).toContain(why);
    expect(tree).toContainEqual({ role: 'button', name: 'Remove twice.bin' });
  });

  it('gets the progress of a long upload at intervals', async () => {
    await visit();
    await page.evaluate(() => {
      const el = document.querySelector<SvcUploader>('svc-uploader')!;
      el.transport = { send: (_, { progress }) => new Promise(() => Object.assign(globalThis, { progress })) };
      void el.addFiles([new File([new Uint8Array(1000)], 'long.bin')]);
    });
    await page.waitForFunction(() => 'progress' in globalThis);
    const move = (sent: number) =>
      page.evaluate((bytes) => (globalThis as unknown as { progress(sent: number): void }).progress(bytes), sent);
    await move(100);
    await expect.poll(readAnnouncement).toBe('1 file added.');
    await move(400);
    // Sixteen seconds pass.
    await page.evaluate(() => {
      const { now } = Date;
      Date.now = () => now() + 16_000;
    });
    await move(500);
    await expect.poll(readAnnouncement).toBe('50% uploaded.');
    expect((await accessibilityTree()).map(({ role, name }) => `${role} ${name}`)).toContain('progressbar long.bin');
  });
});

describe('the keyboard', () => {
  it('chooses, reorders, removes and submits without a pointer, and never loses the focus', async () => {
    await visit({ reorderable: '' });
    const files = await some();
    // Playwright must intercept the dialog before the key is pressed.
    const chooser = page.waitForEvent('filechooser');
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('Attachments: Choose files');
    await page.keyboard.press('Enter');
    await (await chooser).setFiles(files.map(({ path }) => path));
    await stored(3);
    await page.getByRole('button', { name: 'Move a.pdf', exact: true }).waitFor();
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('Remove all');
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('Move a.pdf');
    await page.keyboard.press('ArrowDown');
    await expect.poll(names).toEqual(['b.png', 'a.pdf', 'c.txt']);
    await expect.poll(focused).toBe('Move a.pdf');
    // One press lifts the file, another drops it.
    await page.keyboard.press('Space');
    await expect.poll(async () => (await accessibilityTree()).find(({ name }) => name === 'Move a.pdf')?.pressed).toBe('true');
    for (let stops = 0; stops < 2; stops++) await page.keyboard.press('Tab');
    expect(await focused()).toBe('Move c.txt');
    await page.keyboard.press('Enter');
    await expect.poll(names).toEqual(['b.png', 'c.txt', 'a.pdf']);
    const sent = await page.$eval('form', (form) => new FormData(form as HTMLFormElement).getAll('files').map(String));
    expect(sent.map((path) => path.replace(/^.*\/(\w).*$/, '$1'))).toEqual(['b', 'c', 'a']);
    for (const next of ['Remove c.txt', 'Remove a.pdf', 'Attachments: Choose files']) {
      await page.getByRole('button', { name: 'Remove', exact: false }).and(page.locator('[part=remove-button]')).first().focus();
      await page.keyboard.press('Enter');
      await expect.poll(focused).toBe(next);
    }
    expect(await names()).toEqual([]);
  });
});

describe('large text and other colours', () => {
  const widths = { '200 % of 1280 px': 640, '400 % of 1280 px': 320 };
  it.each(Object.entries(widths))('show everything at %s without horizontal scrolling', async (_name, width) => {
    await visit({ 'max-size': '3MB' }, { viewport: { width, height: 400 }, deviceScaleFactor: 1280 / width });
    const large = await createFile(folder, 'a-name-that-is-much-too-long-for-so-narrow-a-site.bin', 3 * MiB + 1);
    await choose([...(await some()).map(({ path }) => path), large.path]);
    await stored(3);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    expect(await findCutOff()).toEqual([]);
  });

  it('show everything in text of twice the size', async () => {
    await visit({ 'max-size': '3MB' });
    await page.addStyleTag({ content: ':root { font-size: 200% }' });
    const large = await createFile(folder, 'large.bin', 3 * MiB + 1);
    await choose([...(await some()).map(({ path }) => path), large.path]);
    await stored(3);
    expect(await inElement((el) => getComputedStyle(el).fontSize)).toBe('28px');
    expect(await findCutOff()).toEqual([]);
  });

  it('show borders and focus in forced colours', async () => {
    await visit({}, { forcedColors: 'active' });
    slow();
    await choose([(await createFile(folder, 'slow.bin', 3 * MiB)).path]);
    await page.locator('svc-uploader progress').first().waitFor();
    await page.getByRole('button', { name: 'Attachments: Choose files' }).focus();
    await page.keyboard.press('Shift');
    const seen = await inElement((el) => {
      const styleOf = (selector: string) => getComputedStyle(el.shadowRoot!.querySelector(selector)!);
      const probe = el.shadowRoot!.appendChild(document.createElement('i'));
      probe.style.cssText = 'forced-color-adjust: none; background: Canvas';
      const { backgroundColor: canvas } = getComputedStyle(probe);
      probe.remove();
      return {
        zone: styleOf('.zone').borderTopColor !== canvas,
        files: styleOf('.files').borderTopColor !== canvas,
        glyph: styleOf('.glyph').borderTopStyle,
        outline: styleOf('.pick').outlineStyle,
      };
    });
    expect(seen).toEqual({ zone: true, files: true, glyph: 'solid', outline: 'solid' });
  });

  it('have no motion if the person asks for less', async () => {
    await visit({}, { reducedMotion: 'reduce' });
    await choose([(await some())[0]!.path]);
    await stored(1);
    const moving = await inElement(
      (el) =>
        [...el.shadowRoot!.querySelectorAll('*')]
          .map((one) => getComputedStyle(one))
          .filter(
            ({ transitionDuration, animationName }) =>
              transitionDuration.split(', ').some((time) => time !== '0s') || animationName !== 'none',
          ).length,
    );
    expect(moving).toBe(0);
  });

  it('show the whole message of a row in a long list after a tap', async () => {
    await visit({ 'allowed-extensions': 'txt, bin' }, { viewport: { width: 320, height: 640 }, hasTouch: true, isMobile: true });
    const many = await Promise.all(Array.from({ length: 60 }, (_, i) => createFile(join(folder, 'many'), `${i}.txt`, 10 + i)));
    const wrong = await createFile(join(folder, 'many'), 'wrong.pdf', 10);
    await choose([wrong, ...many].map(({ path }) => path));
    const text = page.locator('svc-uploader [part~=error]').first();
    await text.waitFor();
    const isCut = () => text.evaluate((one) => one.scrollWidth > one.clientWidth);
    expect(await isCut()).toBe(true);
    await text.tap();
    await expect.poll(isCut).toBe(false);
    expect(await text.evaluate((one) => one.getBoundingClientRect().height)).toBeGreaterThan(20);
  });

  /** Finds texts and controls that are cut off. Names are shortened on purpose. */
  const findCutOff = () =>
    inElement((el) =>
      [...el.shadowRoot!.querySelectorAll<HTMLElement>('.label, .hint, .pick, .state, .size, .summary-text, .plain, .row')]
        .filter((one) => one.offsetParent !== null && !one.closest('.hidden'))
        .filter((one) => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== 'inline')
        .map((one) => `${one.className}: ${one.textContent?.trim()}`),
    );
});

describe('dragging', () => {
  it.each(['dropzone', 'inline', 'button'])('out of the element removes its highlight: %s', async (appearance) => {
    await visit({ appearance });
    await inElement((el) => void (el.multiple = false));
    const [one] = await some();
    await choose([one!.path]);
    await stored(1);
    const seen: boolean[] = [];
    // The inline appearance shows a text instead of the file during a drag.
    const over = ['.hint', appearance === 'inline' ? '[part=name]' : '.pick'].map((one) => page.locator(`svc-uploader ${one}`));
    const look = async () => void seen.push(await inElement((el) => el.matches(':state(dragging)')));
    for (const route of [over, over.toReversed()]) await dragFiles(page, route, [one!.path], look);
    expect(seen).toEqual([false, true, true, false, false, true, true, false]);
    await expect.poll(() => page.locator('svc-uploader [part=name]').isVisible()).toBe(true);
  });

  it('a folder uploads every file below it, with its path', async () => {
    await visit();
    const root = join(folder, 'holiday');
    const files = await Promise.all([
      createFile(root, 'top.txt', 11),
      // A browser lists at most 100 entries at once.
      ...Array.from({ length: 130 }, (_, i) => createFile(join(root, 'photos'), `${i}.jpg`, 20 + i)),
      createFile(join(root, 'photos', 'best', 'of'), 'all.jpg', 12),
    ]);
    const alone = await createFile(folder, 'alone.txt', 13);
    await dropFiles(page, page.locator('svc-uploader'), [root, alone.path]);
    await stored(files.length + 1);
    const places = await inElement((el) => el.uploads.map(({ relativePath, name }) => relativePath || name));
    expect(places).toContain('holiday/top.txt');
    expect(places).toContain('holiday/photos/129.jpg');
    expect(places).toContain('holiday/photos/best/of/all.jpg');
    expect(places).toContain('alone.txt');
    expect((await site.listFiles()).map(({ sha256 }) => sha256).toSorted()).toEqual(
      [...files, alone].map(({ sha256 }) => sha256).toSorted(),
    );
  });
});

describe('the page', () => {
  it('keeps the screen awake only during uploads', async () => {
    // The headless shell has no wake locks.
    const whole = await launchWholeChromium();
    try {
      await visit({}, {}, whole);
      await page.evaluate(() => {
        const locks: WakeLockSentinel[] = [];
        const { wakeLock } = navigator;
        const request = wakeLock.request.bind(wakeLock);
        wakeLock.request = async (type) => {
          const lock = await request(type);
          locks.push(lock);
          return lock;
        };
        Object.assign(globalThis, { locks });
      });
      const held = () =>
        page.evaluate(() => (globalThis as unknown as { locks: WakeLockSentinel[] }).locks.map(({ released }) => released));
      slow();
      await choose([(await createFile(folder, 'slow.bin', 2 * MiB)).path]);
      await expect.poll(held, { interval: 20 }).toEqual([false]);
      await stored(1);
      await expect.poll(held).toEqual([true]);
    } finally {
      await whole.close();
    }
  });

  it('has a new layout only when progress changes', async () => {
    await visit();
    await page.evaluate(() => {
      const el = document.querySelector<SvcUploader>('svc-uploader')!;
      el.transport = { send: (_, { progress }) => new Promise(() => Object.assign(globalThis, { progress })) };
      void el.addFiles([new File([new Uint8Array(1000)], 'big.bin')]);
    });
    await page.waitForFunction(() => 'progress' in globalThis);
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable');
    /** Counts layouts in the twenty frames after a progress event. */
    const countLayouts = async (sent: number): Promise<number> => {
      const count = async () =>
        (await session.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'LayoutCount')!;
      const before = await count();
      await page.evaluate(async (bytes) => {
        (globalThis as unknown as { progress(sent: number): void }).progress(bytes);
        for (let frame = 0; frame < 20; frame += 1) await new Promise((resolve) => requestAnimationFrame(resolve));
      }, sent);
      return (await count()).value - before.value;
    };
    // The first event also announces the file.
    await countLayouts(100);
    await expect.poll(() => inElement((el) => el.shadowRoot!.querySelector('[role=status]')!.textContent)).not.toBe('');
    expect(await countLayouts(400)).toBeGreaterThan(0);
    expect(await countLayouts(700)).toBeLessThan(3);
  });
});
