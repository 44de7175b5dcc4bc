import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import { factList } from '../../components/fact-list.js';
import type { Fact } from '../../components/fact-list.js';
import { choice, openForm, selectField, textField, textOf } from '../../components/form.js';
import { copyText } from '../../components/copy-text.js';
import { icon } from '../../components/icon.js';
import { ListPage } from '../../components/list-page.js';
import type { ListPageResult, ListView } from '../../components/list-page.js';
import { formStyles } from '../../components/form-styles.js';
import { confirmDialog, openDialog } from '../../components/open-dialog.js';
import { copyable, openCopyDialog } from '../../components/secret-dialog.js';
import { timeCell, timeLine } from '../../components/time-text.js';
import { adoptSheet } from '../../styles/adopt-base.js';
import { formatRelative } from '../../texts/format.js';
import { texts } from '../../texts/texts.js';
import { UNKNOWN_ENDPOINT } from '../../api/records.js';
import type { S3Place } from '../../api/records.js';
import { quoteForShell } from '../../components/quote-for-shell.js';
import type { CreatedS3KeyPair, S3KeyPair, S3KeyPairs } from './records.js';
import { accessTexts } from './texts/texts.js';

const PAIRS = '/v1/s3-credentials';
const LIFETIMES = ['', '3600', '86400', '604800'] as const;

/** The key pairs of the S3 endpoint. */
class S3List extends ListPage<S3KeyPair> {
  #place: S3Place | undefined;

  protected async load(_cursor: string | undefined, signal: AbortSignal): Promise<ListPageResult<S3KeyPair>> {
    const { s3_credentials: rows, ...place } = await this.context.storage.get<S3KeyPairs>(PAIRS, { signal });
    this.#place = place;
    return { rows, cursor: null };
  }

  protected view(): ListView<S3KeyPair> {
    const { s3, columns } = accessTexts;
    return {
      label: accessTexts.tabs.s3,
      intro: s3.intro,
      icon: 'key',
      columns: [
        { id: 'name', title: columns.name, cell: pairName },
        { id: 'access', title: s3.access, cell: rightsOf, width: '9rem' },
        { id: 'folder', title: columns.folder, cell: ({ prefix }) => prefix ?? s3.allFiles, width: '10rem' },
        { id: 'expires', title: columns.expires, cell: expiryCell, width: '11.5rem' },
        { id: 'created', title: columns.created, cell: ({ created_at: created }) => timeCell(created), width: '11.5rem' },
      ],
      keyOf: ({ access_key_id: id }) => id,
      nameOf: nameOfPair,
      secondary: (pair) => `${rightsOf(pair)} · ${pair.prefix ?? s3.allFiles} · ${shortExpiry(pair)}`,
      open: (pair) => void this.#showDetails(pair),
      menuOf: (pair) => [
        { label: accessTexts.details, icon: 'info', run: () => void this.#showDetails(pair) },
        {
          label: s3.copyId,
          icon: 'copy',
          run: () => void copyText(pair.access_key_id),
        },
        {
          label: accessTexts.revoke,
          icon: 'trash',
          isDangerous: true,
          startsGroup: true,
          disabledReason: this.readOnlyReason,
          run: () => void this.#revoke(pair),
        },
      ],
      create: { label: s3.create, run: this.#create },
      empty: s3.empty,
    };
  }

  #create = async (): Promise<void> => {
    const { s3 } = accessTexts;
    const created = await openForm(s3.create, {
      submit: s3.submit,
      fields: (form) =>
        html`${textField(form, { name: 'name', label: s3.form.name, hint: s3.form.nameHint, isFocused: true })}
        ${textField(form, { name: 'prefix', label: s3.form.folder, hint: s3.form.folderHint, placeholder: 'backups/2030' })}
        ${selectField(form, {
          name: 'expires_in',
          label: s3.form.lifetime,
          choices: LIFETIMES.map((seconds) => [seconds, s3.form.lifetimes[seconds]]),
          value: '',
        })}
        ${choice({ name: 'read_only', label: s3.form.readOnly, hint: s3.form.readOnlyHint })}`,
      send: (data, signal) => {
        const [prefix, expires] = [textOf(data, 'prefix'), textOf(data, 'expires_in')];
        const body = {
          name: textOf(data, 'name'),
          read_only: data.has('read_only'),
          ...(prefix !== '' && { prefix }),
          ...(expires !== '' && { expires_in: Number(expires) }),
        };
        return this.context.storage.post<CreatedS3KeyPair>(PAIRS, { body, signal });
      },
    });
    if (!created) return;
    void this.reload();
    await openCopyDialog(s3.created, {
      warning: s3.once,
      text: s3.environmentHint,
      items: [
        { label: s3.environment, value: exportLines(created, this.#place?.endpoint ?? UNKNOWN_ENDPOINT) },
        ...(this.#place ? [{ label: accessTexts.example, value: exampleCommand(created, this.#place) }] : []),
      ],
      close: accessTexts.copied,
    });
  };

  async #showDetails(pair: S3KeyPair): Promise<void> {
    const isRevoking = await openDialog<boolean>(
      nameOfPair(pair),
      (dialog) =>
        html`${pairFacts(pair, this.#place)}
          <button slot="actions" @click=${() => dialog.close()}>${texts.close}</button>
          ${
            this.isReadOnly
              ? nothing
              : html`<button slot="actions" class="danger" @click=${() => dialog.close(true)}>${accessTexts.revoke}</button>`
          }`,
    );
    if (isRevoking) await this.#revoke(pair);
  }

  async #revoke(pair: S3KeyPair): Promise<void> {
    const { revoking } = accessTexts.s3;
    const name = nameOfPair(pair);
    const options = { heading: revoking.heading(name), text: revoking.text, confirm: accessTexts.revoke, isDangerous: true };
    if (!(await confirmDialog(options))) return;
    const path = `${PAIRS}/${encodeURIComponent(pair.access_key_id)}`;
    await this.act(() => this.context.storage.delete(path, { signal: AbortSignal.timeout(30_000) }), revoking.done(name));
  }
}
customElements.define('s3-list', S3List);

const nameOfPair = ({ name, access_key_id: id }: S3KeyPair): string => (name === '' ? id : name);
const rightsOf = ({ read_only: isReadOnly }: S3KeyPair): string =>
  isReadOnly ? accessTexts.s3.readOnly : accessTexts.s3.readWrite;

const pairName = (pair: S3KeyPair): TemplateResult =>
  html`<span class="main">
    ${icon('key')}
    <span class="stacked"
      ><bdi>${nameOfPair(pair)}</bdi>${pair.name === '' ? nothing : html`<small><code>${pair.access_key_id}</code></small>`}</span
    >
  </span>`;

const isExpired = ({ expires_at: expires }: S3KeyPair): boolean => expires !== null && Date.parse(expires) <= Date.now();

const expiryCell = (pair: S3KeyPair): TemplateResult | string => {
  if (pair.expires_at === null) return accessTexts.neverExpires;
  return isExpired(pair) ? html`<span class="badge">${accessTexts.expired}</span>` : timeCell(pair.expires_at);
};

const shortExpiry = (pair: S3KeyPair): string => {
  if (pair.expires_at === null) return accessTexts.neverExpires;
  return isExpired(pair) ? accessTexts.expired : formatRelative(pair.expires_at);
};

/** Everything about a key pair except its secret. */
function pairFacts(pair: S3KeyPair, place: S3Place | undefined): TemplateResult {
  adoptSheet(formStyles);
  const { s3, columns } = accessTexts;
  const { expires_at: expires } = pair;
  const facts: Fact[] = [
    ...(place ? [[s3.bucket, place.bucket] as const] : []),
    [s3.endpoint, place?.endpoint ?? s3.unknownEndpoint],
    [s3.access, rightsOf(pair)],
    [columns.folder, pair.prefix ?? s3.allFiles],
    [columns.expires, expires === null ? accessTexts.neverExpires : timeLine(expires)],
    [columns.created, timeLine(pair.created_at)],
  ];
  return html`${copyable({ label: s3.accessKeyId, value: pair.access_key_id })} ${factList(facts)}`;
}

/** Returns the lines that programs for S3 read. */
const exportLines = (pair: CreatedS3KeyPair, endpoint: string): string =>
  [
    `export AWS_ACCESS_KEY_ID=${pair.access_key_id}`,
    `export AWS_SECRET_ACCESS_KEY=${pair.secret_access_key}`,
    'export AWS_REGION=us-east-1',
    `export AWS_ENDPOINT_URL=${endpoint}`,
  ].join('\n');

/** Returns a command that lists what the pair may read. */
const exampleCommand = ({ prefix }: S3KeyPair, { bucket }: S3Place): string =>
  `aws s3 ls ${quoteForShell(`s3://${bucket}/${prefix === null ? '' : `${prefix}/`}`)}`;
