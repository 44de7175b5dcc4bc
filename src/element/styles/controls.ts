import { css } from 'lit';

/** The button that opens the picker, and what all buttons have in common. */
export const controlStyles = css`
  button {
    margin: 0;
    border: 0;
    padding: 0;
    background: none;
    color: inherit;
    font: inherit;
    cursor: pointer;
    -webkit-tap-highlight-color: transparent;
    transition:
      background-color var(--_quick),
      border-color var(--_quick),
      color var(--_quick);
  }
  button:disabled {
    cursor: not-allowed;
    opacity: 0.5;
  }
  button:focus-visible {
    outline: 2px solid var(--_accent);
    outline-offset: 2px;
  }
  .pick {
    flex: none;
    min-block-size: 36px;
    padding: 7px 14px;
    border: 1px solid var(--_edge);
    border-radius: calc(var(--_radius) - 2px);
    background: var(--svc-uploader-button-background, transparent);
    color: var(--svc-uploader-button-color, inherit);
    font-weight: 500;
  }
  .pick:hover:enabled {
    background: var(--_fill-hover);
  }
  .pick:active:enabled {
    background: var(--_fill-active);
  }
  @media (forced-colors: active) {
    button:disabled {
      opacity: 1;
    }
  }
  @media (pointer: coarse) {
    .pick {
      min-block-size: 44px;
    }
  }
`;
