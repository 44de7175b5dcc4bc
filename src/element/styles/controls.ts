import { css } from 'lit';

/** Buttons: the one that opens the picker, icon buttons, text buttons. */
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
  .icon {
    inline-size: 32px;
    block-size: 32px;
    border-radius: 6px;
    color: var(--_muted);
  }
  .icon span {
    display: grid;
    place-items: center;
    block-size: 100%;
  }
  .plain {
    min-block-size: 32px;
    padding-inline: 10px;
    border-radius: 6px;
    font-weight: 500;
  }
  .icon:hover,
  .plain:hover {
    background: var(--_fill-hover);
    color: inherit;
  }
  .pick:active:enabled,
  .icon:active,
  .plain:active {
    background: color-mix(in oklab, currentColor 14%, transparent);
  }
  .icon:focus-visible,
  .plain:focus-visible {
    outline-offset: -2px;
  }
  .actions {
    display: flex;
    flex: none;
    align-items: center;
  }
  @media (forced-colors: active) {
    button:disabled {
      opacity: 1;
    }
  }
  @media (pointer: coarse) {
    .icon {
      inline-size: 44px;
      block-size: 44px;
    }
    .plain,
    .pick {
      min-block-size: 44px;
    }
  }
`;
