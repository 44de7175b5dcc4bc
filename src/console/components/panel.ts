import { css } from 'lit';
import { badge } from '../styles/badge.js';

/** Styles of a page with panels: framed parts with a heading. */
export const panelStyles = css`
  :host {
    display: flex;
    flex-direction: column;
    gap: 1rem;
  }
  .bar {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    justify-content: space-between;
    gap: 0.5rem;
  }
  .tools {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.5rem;
  }
  .panel {
    display: grid;
    gap: 1rem;
    min-inline-size: 0;
    padding: 1.125rem 1.25rem 1.25rem;
    border: 1px solid var(--line);
    border-radius: 0.75rem;
    background: var(--surface);
  }
  .panel h3 {
    font-size: 0.9375rem;
  }
  .panel form {
    display: grid;
    gap: 1rem;
    justify-items: start;
  }
  .panel .field {
    inline-size: min(100%, 26rem);
  }
  ${badge}
  .badge {
    flex: none;
  }
  @media (max-width: 30rem) {
    .panel {
      padding: 1rem;
    }
  }
  @media (forced-colors: active) {
    .badge {
      border: 1px solid CanvasText;
    }
  }
`;
