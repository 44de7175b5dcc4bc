import { css } from 'lit';

/** Pictures are shown on a dark ground, whatever the colors of the page are. */
export const lightboxStyles = css`
  .lightbox {
    --_ground: #101216;
    position: fixed;
    inset: 0;
    display: grid;
    grid-template: auto minmax(0, 1fr) / minmax(0, 1fr);
    box-sizing: border-box;
    inline-size: 100%;
    block-size: 100%;
    max-inline-size: none;
    max-block-size: none;
    margin: 0;
    border: 0;
    padding: env(safe-area-inset-top) env(safe-area-inset-right) env(safe-area-inset-bottom) env(safe-area-inset-left);
    background: var(--_ground);
    color: #fff;
    color-scheme: dark;
    overflow: hidden;
    overscroll-behavior: contain;
    animation: lightbox-appear var(--_quick) ease-out;
  }
  .lightbox:not([open]) {
    display: none;
  }
  @keyframes lightbox-appear {
    from {
      opacity: 0;
    }
  }
  .lightbox-bar {
    display: flex;
    align-items: center;
    gap: 16px;
    padding-block: 8px;
    padding-inline: 20px 8px;
  }
  .lightbox-caption {
    display: flex;
    flex: 1;
    flex-wrap: wrap;
    align-items: baseline;
    gap: 0 12px;
    min-inline-size: 0;
  }
  .lightbox-name {
    max-inline-size: 100%;
    overflow: hidden;
    font-weight: 500;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .lightbox-position {
    color: #b6bac3;
    font-variant-numeric: tabular-nums;
  }
  .lightbox-stage {
    display: grid;
    padding: 0 16px 16px;
    min-block-size: 0;
    touch-action: pan-y pinch-zoom;
  }
  .lightbox-picture {
    display: grid;
    grid-template: minmax(0, 1fr) / minmax(0, 1fr);
    place-items: center;
    min-block-size: 0;
    transform: translateX(var(--_shift, 0));
    user-select: none;
  }
  .lightbox-picture > :is(canvas, img) {
    position: static;
    inline-size: auto;
    block-size: auto;
    max-inline-size: 100%;
    max-block-size: 100%;
    border-radius: 4px;
    object-fit: contain;
    visibility: visible;
  }
  /* A drawing may have no size of its own. */
  .lightbox-picture > img {
    min-inline-size: min(50%, 20rem);
  }
  .lightbox-picture.loading::after {
    content: '';
    inline-size: 28px;
    block-size: 28px;
    border: 3px solid rgb(255 255 255 / 0.3);
    border-block-start-color: #fff;
    border-radius: 50%;
    /* Most pictures are there before it could be seen. */
    animation: lightbox-turn 0.8s linear 0.3s infinite backwards;
  }
  @keyframes lightbox-turn {
    from {
      opacity: 0;
    }
    10% {
      opacity: 1;
    }
    to {
      transform: rotate(1turn);
    }
  }
  .lightbox-button {
    display: grid;
    flex: none;
    place-items: center;
    inline-size: 44px;
    block-size: 44px;
    border-radius: 50%;
    background: rgb(16 18 22 / 0.7);
    color: #fff;
  }
  .lightbox-button:hover {
    background: #3a3e47;
  }
  .lightbox-button:active {
    background: #4a4f5a;
  }
  .lightbox-button:focus-visible {
    outline: 2px solid #fff;
    outline-offset: -4px;
  }
  .lightbox-button svg {
    inline-size: 24px;
    block-size: 24px;
  }
  :is(.lightbox-previous, .lightbox-next) {
    position: absolute;
    inset-block-start: calc(50% - 22px);
    inset-inline-start: calc(8px + env(safe-area-inset-left));
  }
  .lightbox-next {
    inset-inline: auto calc(8px + env(safe-area-inset-right));
  }
  [dir='rtl'] :is(.lightbox-previous, .lightbox-next) svg {
    transform: scaleX(-1);
  }
  @media (min-width: 700px) {
    .lightbox-stage {
      padding-inline: 68px;
    }
  }
  @media (prefers-reduced-motion: reduce) {
    .lightbox-picture.loading::after {
      animation: none;
    }
  }
  @media (forced-colors: active) {
    .lightbox-button {
      border: 1px solid;
    }
  }
`;
