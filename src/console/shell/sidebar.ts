import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import { icon } from '../components/icon.js';
import { openMenu } from '../components/menu.js';
import { usageMeter } from '../components/usage-meter.js';
import type { MenuItem } from '../components/menu.js';
import { formatSize } from '../texts/format.js';
import { texts } from '../texts/texts.js';
import type { ConsoleContext } from './context.js';
import { accountApi } from './load-context.js';
import type { Profile } from './load-context.js';
import type { Router } from './router.js';
import { SECTIONS } from './sections.js';
import { setTheme, storedTheme, THEMES } from './theme.js';

export interface SidebarModel {
  profile: Profile | undefined;
  context: ConsoleContext | undefined;
  router: Router;
  openHelp(): void;
}

/** Renders the navigation with the choice of the storage above and the account below. On phones it lies in a drawer. */
export function sidebar(model: SidebarModel): TemplateResult {
  const { context, router } = model;
  const entries = SECTIONS.filter(
    ({ isVisible, isInAccountMenu }) => !isInAccountMenu && (isVisible === undefined || (context && isVisible(context))),
  );
  return html`<div class="sidebar">
    <p class="brand">${SIGN}${texts.product}</p>
    ${workspaceSwitch(model)}
    <nav aria-label=${texts.navigation}>
      ${entries.map(
        ({ id, icon: sign }) =>
          html`<a href=${router.href(id)} aria-current=${router.place.section === id ? 'page' : nothing}>
            ${icon(sign)}${texts.sections[id]}
          </a>`,
      )}
    </nav>
    <div class="rest">${quota(context)}${accountButton(model)}</div>
  </div>`;
}

const SIGN = html`<svg class="sign" viewBox="0 0 32 32" aria-hidden="true">
  <rect width="32" height="32" rx="9" fill="#2f54eb" />
  <path
    d="M16 22V11m0 0-4.5 4.5M16 11l4.5 4.5M9.5 23.5h13"
    fill="none"
    stroke="#fff"
    stroke-width="2.4"
    stroke-linecap="round"
    stroke-linejoin="round"
  />
</svg>`;

/** The choice of the storage. It keeps its place while the workspaces load. */
function workspaceSwitch({ profile, router }: SidebarModel): TemplateResult {
  const chosen = router.place.params.get('workspace');
  const workspaces = profile?.workspaces ?? [];
  const name = workspaces.find(({ id }) => id === chosen)?.name ?? (profile ? texts.workspace.own : '');
  const itemFor = (label: string, id: string | undefined): MenuItem => ({
    label,
    isChecked: (id ?? null) === chosen,
    run: () => router.go(router.href(SECTIONS[0]!.id, [], { workspace: id })),
  });
  const items = (): MenuItem[] => [
    itemFor(texts.workspace.own, undefined),
    ...workspaces.map(({ id, name: label }) => itemFor(label, id)),
    { label: texts.workspace.manage, icon: 'users', href: router.href('workspaces'), startsGroup: true },
  ];
  return html`<button
    class="switch"
    aria-haspopup="menu"
    aria-label="${texts.workspace.label}: ${name}"
    ?disabled=${!profile}
    @click=${(event: MouseEvent) => openMenu(event.currentTarget as Element, texts.workspace.label, items())}
  >
    <bdi title=${name}>${name}</bdi>${icon('choose')}
  </button>`;
}

function quota(context: ConsoleContext | undefined): TemplateResult | typeof nothing {
  if (!context?.stats) return nothing;
  const { bytes, quota_bytes: total } = context.stats;
  if (total === null) return html`<p class="quota">${texts.quota.usedUnlimited(formatSize(bytes))}</p>`;
  const text = texts.quota.used(formatSize(bytes), formatSize(total));
  return html`<div class="quota">
    ${usageMeter(bytes, total, text)}
    <span>${text}</span>
  </div>`;
}

function accountButton({ profile, router, openHelp }: SidebarModel): TemplateResult | typeof nothing {
  if (!profile) return nothing;
  const { name, email } = profile.user;
  const items = (): MenuItem[] => [
    ...SECTIONS.filter(({ isInAccountMenu }) => isInAccountMenu).map(({ id, icon: sign }): MenuItem => ({
      label: texts.sections[id],
      icon: sign,
      href: router.href(id),
    })),
    ...THEMES.map((theme): MenuItem => ({
      label: texts.account.themes[theme],
      isChecked: theme === storedTheme(),
      ...(theme === THEMES[0] && { startsGroup: true, groupTitle: texts.account.theme }),
      run: () => setTheme(theme),
    })),
    { label: texts.account.help, icon: 'help', run: openHelp, startsGroup: true },
    { label: texts.account.reference, icon: 'code', href: '/docs' },
    { label: texts.account.signOut, icon: 'signOut', run: () => void signOut(), startsGroup: true },
  ];
  return html`<button
    class="account"
    aria-haspopup="menu"
    @click=${(event: MouseEvent) => openMenu(event.currentTarget as Element, texts.account.menu, items())}
  >
    <span class="avatar" aria-hidden="true">${[...name][0]?.toUpperCase()}</span>
    <span class="person"
      ><span class="visually-hidden">${texts.account.menu}: </span><bdi title=${name}>${name}</bdi
      ><small title=${email}>${email}</small></span
    >
    ${icon('choose')}
  </button>`;
}

async function signOut(): Promise<void> {
  await accountApi.delete('/v1/sessions/current', { signal: AbortSignal.timeout(30_000) }).catch(() => {});
  location.assign('/sign-in');
}
