import { css } from 'lit';

/** Buttons of rows and of the summary: icons and texts. */
export const actionStyles = css`
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
  .plain.primary {
    background: var(--_primary);
    color: var(--_on-primary);
    /* While only one of the colors has changed, the text could not be read. */
    transition: none;
  }
  .icon:hover,
  .plain:hover {
    background: var(--_fill-hover);
    color: inherit;
  }
  .icon:active,
  .plain:active {
    background: var(--_fill-active);
  }
  .plain.primary:is(:hover, :active) {
    background: color-mix(in oklab, var(--_primary) 88%, var(--_on-primary));
    color: var(--_on-primary);
  }
  .icon:focus-visible,
  .plain:focus-visible {
    outline-offset: -2px;
  }
  /* Inside the button the outline would have the color of its background. */
  .plain.primary:focus-visible {
    outline-color: var(--_primary);
    outline-offset: 1px;
  }
  .actions {
    display: flex;
    flex: none;
    align-items: center;
  }
  /* Forced colors remove the background. */
  @media (forced-colors: active) {
    .plain.primary {
      border: 1px solid;
    }
  }
  @media (pointer: coarse) {
    .icon {
      inline-size: 44px;
      block-size: 44px;
    }
    .plain {
      min-block-size: 44px;
    }
  }
`;
