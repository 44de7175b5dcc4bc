import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import type { FileRecord } from '../../../protocol/types.js';
import { icon } from '../../components/icon.js';
import { filesTexts } from './texts/texts.js';

/** Returns whether the service never delivers a file because of its virus scan. */
export const isBlocked = ({ scan }: FileRecord): boolean => scan === 'infected' || scan === 'too_large';

/** States what a virus scan found, or that it has not ended. */
export function scanNote(file: FileRecord): TemplateResult | typeof nothing {
  const { scan, scan_signature: signature = '' } = file;
  const { infected, tooLarge, pending } = filesTexts.scan;
  if (scan === undefined || scan === 'clean') return nothing;
  const text = scan === 'infected' ? infected(signature) : scan === 'too_large' ? tooLarge : pending;
  return html`<p class="alert ${isBlocked(file) ? 'problem' : 'note'}" role="status">${icon('warning')}<span>${text}</span></p>`;
}

/** Marks an infected file in a list. */
export const scanBadge = ({ scan }: FileRecord): TemplateResult | typeof nothing =>
  scan === 'infected' ? html`<span class="badge danger">${filesTexts.scan.badge}</span>` : nothing;
