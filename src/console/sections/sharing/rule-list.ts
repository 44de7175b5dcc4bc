import { html } from 'lit';
import type { TemplateResult } from 'lit';
import { icon } from '../../components/icon.js';
import { ListPage } from '../../components/list-page.js';
import type { ListPageResult, ListView } from '../../components/list-page.js';
import { confirmDialog } from '../../components/open-dialog.js';
import { timeCell } from '../../components/time-text.js';
import { formatNumber, formatSize } from '../../texts/format.js';
import { openRuleForm } from './rule-form.js';
import type { Rule } from './records.js';
import { sharingTexts } from './texts/texts.js';

/** Rules: defaults and limits of folders. */
class RuleList extends ListPage<Rule> {
  protected async load(_cursor: string | undefined, signal: AbortSignal): Promise<ListPageResult<Rule>> {
    const { rules } = await this.context.storage.get<{ rules: Rule[] }>('/v1/rules', { signal });
    return { rows: rules, cursor: null };
  }

  protected view(): ListView<Rule> {
    const { rules, columns } = sharingTexts;
    return {
      label: sharingTexts.tabs.rules,
      intro: rules.intro,
      icon: 'settings',
      columns: [
        { id: 'folder', title: columns.folder, cell: ruleName },
        { id: 'limits', title: rules.limits, cell: ruleSummary },
        { id: 'created', title: columns.created, cell: ({ created_at: created }) => timeCell(created), width: '11.5rem' },
      ],
      keyOf: ({ id }) => id,
      nameOf: folderOf,
      secondary: ruleSummary,
      open: (rule) => void this.#change(rule),
      menuOf: (rule) => [
        { label: rules.change, icon: 'edit', disabledReason: this.readOnlyReason, run: () => void this.#change(rule) },
        {
          label: rules.remove,
          icon: 'trash',
          isDangerous: true,
          startsGroup: true,
          disabledReason: this.readOnlyReason,
          run: () => void this.#remove(rule),
        },
      ],
      create: { label: rules.create, run: this.#create },
      empty: rules.empty,
    };
  }

  #create = async (): Promise<void> => {
    if (await openRuleForm(this.context.storage)) await this.reload();
  };

  async #change(rule: Rule): Promise<void> {
    if (this.isReadOnly) return;
    if (await openRuleForm(this.context.storage, rule)) await this.reload();
  }

  async #remove(rule: Rule): Promise<void> {
    const { removing, remove } = sharingTexts.rules;
    const name = folderOf(rule);
    if (!(await confirmDialog({ heading: removing.heading(name), text: removing.text, confirm: remove, isDangerous: true })))
      return;
    const signal = AbortSignal.timeout(30_000);
    await this.act(() => this.context.storage.delete(`/v1/rules/${rule.id}`, { signal }), removing.done(name));
  }
}
customElements.define('rule-list', RuleList);

const folderOf = ({ prefix }: Rule): string => (prefix === '' ? sharingTexts.allFiles : `${prefix}/`);

const ruleName = (rule: Rule): TemplateResult =>
  html`<span class="main"
    >${icon('folder')}<span><bdi>${folderOf(rule)}</bdi></span></span
  >`;

/** Describes a rule in one line. */
export function ruleSummary(rule: Rule): string {
  const { summary } = sharingTexts.rules;
  return [
    rule.visibility && summary[rule.visibility],
    rule.max_size !== null && summary.maxSize(formatSize(rule.max_size)),
    rule.allowed_extensions?.join(', '),
    rule.expires_after !== null && summary.expires(formatNumber(Math.round((rule.expires_after / 86_400) * 100) / 100)),
    rule.cache_control,
    rule.image_sizes && summary.images(rule.image_sizes.join(', ')),
  ]
    .filter(Boolean)
    .join(' · ');
}
