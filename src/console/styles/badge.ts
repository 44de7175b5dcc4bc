import { css } from 'lit';

/** A short state in a frame, such as `active`. */
export const badge = css`
  .badge {
    display: inline-flex;
    align-items: center;
    padding: 0 0.4375rem;
    border-radius: 1rem;
    background: var(--pressed);
    color: var(--text);
    font-size: 0.75rem;
    font-weight: 500;
  }
  .badge.good {
    background: var(--good-soft);
    color: var(--good);
  }
  .badge.warning {
    background: var(--warning-soft);
    color: var(--warning);
  }
  .badge.danger {
    background: var(--danger-soft);
    color: var(--danger);
  }
`;
