import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import { copyText } from '../../components/copy-text.js';
import { icon } from '../../components/icon.js';
import type { IconName } from '../../components/icon.js';
import { ListPage } from '../../components/list-page.js';
import type { ListPageResult, ListView } from '../../components/list-page.js';
import type { MenuItem } from '../../components/menu.js';
import { confirmDialog } from '../../components/open-dialog.js';
import { openCopyDialog } from '../../components/secret-dialog.js';
import { timeCell } from '../../components/time-text.js';
import { showToast } from '../../components/toast.js';
import { formatNumber, formatRelative } from '../../texts/format.js';
import { texts } from '../../texts/texts.js';
import { kindOf } from './records.js';
import type { Share, ShareKind } from './records.js';
import { openNewShare, openShareChange } from './share-form.js';
import { sharingTexts } from './texts/texts.js';

const ICONS: Record<ShareKind, IconName> = { folder: 'folder', file: 'file', upload: 'inbox' };

/** Shares: links to a file or a folder, and upload requests. */
class ShareList extends ListPage<Share> {
  protected async load(cursor: string | undefined, signal: AbortSignal): Promise<ListPageResult<Share>> {
    const page = await this.context.storage.get<{ shares: Share[]; cursor: string | null }>('/v1/shares', {
      query: { cursor },
      signal,
    });
    return { rows: page.shares, cursor: page.cursor };
  }

  protected view(): ListView<Share> {
    const { shares, columns } = sharingTexts;
    return {
      label: sharingTexts.tabs.shares,
      intro: shares.intro,
      icon: 'share',
      columns: [
        { id: 'name', title: columns.name, cell: shareName },
        { id: 'kind', title: columns.kind, cell: (share) => shares.kinds[kindOf(share)], width: '9rem' },
        { id: 'uses', title: shares.uses, cell: usesOf, width: '11rem' },
        { id: 'expires', title: columns.expires, cell: expiryCell, width: '11.5rem' },
      ],
      keyOf: ({ id }) => id,
      nameOf: nameOfShare,
      secondary: (share) => `${shares.kinds[kindOf(share)]} · ${usesOf(share)} · ${shortExpiry(share)}`,
      open: (share) => void this.#showLink(share),
      menuOf: (share) => this.#menuOf(share),
      create: { label: shares.create, run: this.#create },
      empty: shares.empty,
    };
  }

  #menuOf(share: Share): MenuItem[] {
    const { shares } = sharingTexts;
    const disabledReason = this.readOnlyReason;
    return [
      { label: shares.copyLink, icon: 'copy', run: () => void copyLink(share) },
      { label: shares.showLink, icon: 'link', run: () => void this.#showLink(share) },
      { label: shares.change, icon: 'edit', disabledReason, run: () => void this.#change(share) },
      {
        label: shares.remove,
        icon: 'trash',
        isDangerous: true,
        startsGroup: true,
        disabledReason,
        run: () => void this.#remove(share),
      },
    ];
  }

  #create = async (): Promise<void> => {
    const created = await openNewShare(this.context.storage);
    if (!created) return;
    void this.reload();
    await this.#showLink(created);
  };

  async #showLink(share: Share): Promise<void> {
    const { shares } = sharingTexts;
    const ended = endOf(share);
    await openCopyDialog(nameOfShare(share), {
      ...(ended === undefined ? {} : { warning: ended }),
      text: shares.linkTexts[kindOf(share)] + (share.has_password ? ` ${shares.needsPassword}` : ''),
      items: [{ label: shares.link, value: share.url }],
      close: texts.close,
    });
  }

  async #change(share: Share): Promise<void> {
    if (await openShareChange(this.context.storage, share)) await this.reload();
  }

  async #remove(share: Share): Promise<void> {
    const { removing, remove } = sharingTexts.shares;
    const name = nameOfShare(share);
    if (!(await confirmDialog({ heading: removing.heading(name), text: removing.text, confirm: remove, isDangerous: true })))
      return;
    const signal = AbortSignal.timeout(30_000);
    await this.act(() => this.context.storage.delete(`/v1/shares/${share.id}`, { signal }), removing.done(name));
  }
}
customElements.define('share-list', ShareList);

async function copyLink({ url }: Share): Promise<void> {
  if (await copyText(url)) showToast({ text: sharingTexts.shares.linkCopied });
}

const targetOf = ({ path, prefix }: Share): string => path ?? `${prefix!}/`;
const nameOfShare = (share: Share): string => share.title ?? targetOf(share);

const shareName = (share: Share): TemplateResult =>
  html`<span class="main">
    ${icon(ICONS[kindOf(share)])}
    <span class="stacked"
      ><bdi>${nameOfShare(share)}</bdi
      >${share.title === null ? nothing : html`<small><bdi>${targetOf(share)}</bdi></small>`}</span
    >
    ${share.has_password ? html`<span class="badge">${sharingTexts.shares.hasPassword}</span>` : nothing}
  </span>`;

function usesOf(share: Share): string {
  const { received, downloads } = sharingTexts.shares;
  const [count, limit, text] =
    share.mode === 'upload'
      ? [share.files_received, share.max_files, received]
      : [share.downloads, share.max_downloads, downloads];
  return text(formatNumber(count), limit === null ? undefined : formatNumber(limit));
}

/** Returns why a share no longer works; undefined if it works. */
function endOf(share: Share): string | undefined {
  const { expiredText, usedUpText } = sharingTexts.shares;
  if (share.expires_at !== null && Date.parse(share.expires_at) <= Date.now()) return expiredText;
  const isUsedUp =
    share.mode === 'upload'
      ? share.max_files !== null && share.files_received >= share.max_files
      : share.max_downloads !== null && share.downloads >= share.max_downloads;
  return isUsedUp ? usedUpText : undefined;
}

const expiryCell = (share: Share): TemplateResult | string => {
  if (endOf(share) !== undefined) return html`<span class="badge warning">${sharingTexts.shares.ended}</span>`;
  return share.expires_at === null ? sharingTexts.never : timeCell(share.expires_at);
};

const shortExpiry = (share: Share): string => {
  if (endOf(share) !== undefined) return sharingTexts.shares.ended;
  return share.expires_at === null ? sharingTexts.never : formatRelative(share.expires_at);
};
