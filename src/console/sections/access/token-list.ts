import { html } from 'lit';
import type { TemplateResult } from 'lit';
import type { CreatedUploadToken, UploadTokenRecord } from '../../../protocol/types.js';
import { factList } from '../../components/fact-list.js';
import { icon } from '../../components/icon.js';
import { ListPage } from '../../components/list-page.js';
import type { ListPageResult, ListView } from '../../components/list-page.js';
import { confirmDialog, openDialog } from '../../components/open-dialog.js';
import { openCopyDialog } from '../../components/secret-dialog.js';
import { timeCell, timeLine } from '../../components/time-text.js';
import { adoptSheet } from '../../styles/adopt-base.js';
import { formStyles } from '../../components/form-styles.js';
import { formatNumber, formatRelative, formatSize } from '../../texts/format.js';
import { texts } from '../../texts/texts.js';
import { accessTexts } from './texts/texts.js';
import { openNewToken } from './token-form.js';

const TOKENS = '/v1/upload-tokens';

/** Upload tokens, the short-lived credentials of pages. */
class TokenList extends ListPage<UploadTokenRecord> {
  protected async load(cursor: string | undefined, signal: AbortSignal): Promise<ListPageResult<UploadTokenRecord>> {
    const page = await this.context.storage.get<{ upload_tokens: UploadTokenRecord[]; cursor: string | null }>(TOKENS, {
      query: { cursor },
      signal,
    });
    return { rows: page.upload_tokens, cursor: page.cursor };
  }

  protected view(): ListView<UploadTokenRecord> {
    const { tokens, columns } = accessTexts;
    return {
      label: accessTexts.tabs.tokens,
      intro: tokens.intro,
      icon: 'upload',
      columns: [
        { id: 'target', title: tokens.target, cell: targetCell },
        { id: 'uses', title: tokens.uses, cell: usesText, width: '9rem' },
        { id: 'state', title: tokens.state, cell: stateBadge, width: '8rem' },
        { id: 'expires', title: columns.expires, cell: ({ expires_at: expires }) => timeCell(expires), width: '11.5rem' },
      ],
      keyOf: ({ id }) => id,
      nameOf: targetOf,
      secondary: (token) => `${usesText(token)} · ${tokens.states[stateOf(token)]} · ${formatRelative(token.expires_at)}`,
      open: (token) => void this.#showDetails(token),
      menuOf: (token) => [
        { label: accessTexts.details, icon: 'info', run: () => void this.#showDetails(token) },
        {
          label: accessTexts.revoke,
          icon: 'trash',
          isDangerous: true,
          startsGroup: true,
          disabledReason: token.revoked_at === null ? undefined : tokens.states.revoked,
          run: () => void this.#revoke(token),
        },
      ],
      create: { label: tokens.create, run: this.#create },
      empty: tokens.empty,
    };
  }

  #create = async (): Promise<void> => {
    const created = await openNewToken(this.context.storage);
    if (!created) return;
    void this.reload();
    await openCopyDialog(accessTexts.tokens.created, {
      warning: accessTexts.tokens.once,
      items: [
        { label: accessTexts.tokens.secret, value: created.token },
        { label: accessTexts.example, value: tokenExample(created) },
      ],
      close: accessTexts.copied,
    });
  };

  async #revoke(token: UploadTokenRecord): Promise<void> {
    const { revoking } = accessTexts.tokens;
    const name = targetOf(token);
    const options = { heading: revoking.heading(name), text: revoking.text, confirm: accessTexts.revoke, isDangerous: true };
    if (!(await confirmDialog(options))) return;
    const signal = AbortSignal.timeout(30_000);
    await this.act(() => this.context.storage.delete(`${TOKENS}/${token.id}`, { signal }), revoking.done(name));
  }

  async #showDetails(token: UploadTokenRecord): Promise<void> {
    adoptSheet(formStyles);
    const isRevoking = await openDialog<boolean>(
      targetOf(token),
      (dialog) =>
        html`${tokenFacts(token)}
          <button slot="actions" @click=${() => dialog.close()}>${texts.close}</button>
          ${
            token.revoked_at === null
              ? html`<button slot="actions" class="danger" @click=${() => dialog.close(true)}>${accessTexts.revoke}</button>`
              : ''
          }`,
    );
    if (isRevoking) await this.#revoke(token);
  }
}
customElements.define('token-list', TokenList);

type TokenState = 'active' | 'expired' | 'used' | 'revoked';

function stateOf(token: UploadTokenRecord): TokenState {
  if (token.revoked_at !== null) return 'revoked';
  if (Date.parse(token.expires_at) <= Date.now()) return 'expired';
  return token.uses >= token.max_uses ? 'used' : 'active';
}

const targetOf = ({ path, prefix }: UploadTokenRecord): string =>
  path ?? (prefix === null || prefix === '' ? accessTexts.tokens.anywhere : `${prefix}/`);

const targetCell = (token: UploadTokenRecord): TemplateResult =>
  html`<span class="main"
    >${icon(token.path === null ? 'folder' : 'file')}<span><bdi>${targetOf(token)}</bdi></span></span
  >`;

const usesText = ({ uses, max_uses: max }: UploadTokenRecord): string =>
  accessTexts.tokens.usesLeft(formatNumber(Math.max(0, max - uses)), formatNumber(max));

const stateBadge = (token: UploadTokenRecord): TemplateResult => {
  const state = stateOf(token);
  return html`<span class="badge ${state === 'active' ? 'good' : ''}">${accessTexts.tokens.states[state]}</span>`;
};

function tokenFacts(token: UploadTokenRecord): TemplateResult {
  const { tokens, columns } = accessTexts;
  return factList([
    [tokens.state, tokens.states[stateOf(token)]],
    [tokens.uses, usesText(token)],
    [tokens.form.maxSize, token.max_size === null ? tokens.noLimit : formatSize(token.max_size)],
    [tokens.form.extensions, token.allowed_extensions?.join(', ') ?? tokens.noLimit],
    [columns.expires, timeLine(token.expires_at)],
    [columns.created, timeLine(token.created_at)],
    ...(token.revoked_at === null ? [] : [[tokens.states.revoked, timeLine(token.revoked_at)] as const]),
  ]);
}

const tokenExample = ({ token }: CreatedUploadToken): string =>
  `curl "${location.origin}/v1/files" -H "Authorization: Bearer ${token}" -F file=@report.pdf`;
