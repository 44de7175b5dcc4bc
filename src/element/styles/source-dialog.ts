import { css } from 'lit';
import { bottomSheet } from './sources.js';

/** The dialogs of the sources, and the bar that replaces a dialog while a screen is recorded. */
export const sourceDialogStyles = css`
  .source-dialog {
    inline-size: min(44rem, 100vw - 32px);
    max-inline-size: none;
    max-block-size: calc(100dvh - 32px);
    margin: auto;
    padding: 0;
    border-radius: calc(var(--_radius) + 4px);
    overflow: auto;
  }
  .source-dialog::backdrop {
    background: rgb(0 0 0 / 50%);
  }
  .source-head {
    display: flex;
    align-items: center;
    justify-content: space-between;
    gap: 12px;
    padding: 8px 8px 8px 20px;
  }
  [dir='rtl'] .source-head {
    padding: 8px 20px 8px 8px;
  }
  .source-head h2 {
    margin: 0;
    font-size: 1rem;
    font-weight: 600;
    line-height: 1.5rem;
  }
  .source-close {
    flex: none;
    inline-size: 36px;
    block-size: 36px;
    border-radius: 6px;
    color: var(--_muted);
  }
  .source-close:hover {
    background: var(--_fill-hover);
    color: inherit;
  }
  .source-close span {
    display: grid;
    place-items: center;
  }
  .stage {
    position: relative;
    display: grid;
    place-items: center;
    aspect-ratio: 16 / 9;
    max-block-size: calc(100dvh - 12rem);
    inline-size: 100%;
    background: #111;
    color: #fff;
  }
  .stage > video,
  .stage > canvas {
    position: absolute;
    inset: 0;
    inline-size: 100%;
    block-size: 100%;
    object-fit: contain;
  }
  .stage > .mirrored {
    scale: -1 1;
  }
  .stage-text {
    margin: 0;
    padding: 24px;
    text-align: center;
  }
  .sound-stage {
    aspect-ratio: auto;
    min-block-size: 180px;
  }
  .sound-stage > canvas {
    position: static;
    inline-size: min(100% - 40px, 40rem);
    block-size: 120px;
    object-fit: fill;
  }
  .sound-stage > audio {
    inline-size: min(100% - 40px, 40rem);
  }
  .source-note {
    position: absolute;
    inset-block-start: 12px;
    inset-inline: 12px;
    z-index: 1;
    margin: 0 auto;
    inline-size: fit-content;
    padding: 6px 12px;
    border-radius: 6px;
    background: rgb(0 0 0 / 72%);
  }
  .source-timer {
    display: inline-flex;
    align-items: center;
    gap: 8px;
    font-variant-numeric: tabular-nums;
  }
  .stage > .source-timer {
    position: absolute;
    inset-block-start: 12px;
    inset-inline-start: 12px;
    z-index: 1;
    padding: 4px 10px;
    border-radius: 999px;
    background: rgb(0 0 0 / 72%);
  }
  .source-dot,
  .source-square {
    flex: none;
    inline-size: 10px;
    block-size: 10px;
    border-radius: 50%;
    background: currentColor;
    forced-color-adjust: none;
  }
  .source-square {
    border-radius: 2px;
  }
  .source-timer .source-dot {
    background: #ff4d4d;
    animation: source-pulse 1.6s ease-in-out infinite;
  }
  @keyframes source-pulse {
    50% {
      opacity: 0.35;
    }
  }
  .source-check {
    display: inline-flex;
    align-items: center;
    gap: 8px;
  }
  .source-check input {
    inline-size: 18px;
    block-size: 18px;
    margin: 0;
  }
  .source-question {
    flex: 1 1 auto;
    align-self: center;
    margin: 0;
  }
  .source-bar {
    inset: auto 0 16px;
    align-items: center;
    gap: 16px;
    inline-size: fit-content;
    margin: 0 auto;
    padding: 8px 8px 8px 16px;
    border-radius: calc(var(--_radius) + 6px);
  }
  .source-bar:popover-open {
    display: flex;
  }
  @media (prefers-reduced-motion: reduce) {
    .source-timer .source-dot {
      animation: none;
    }
  }
  .source-problem {
    display: flex;
    gap: 8px;
    max-inline-size: 30rem;
    padding: 24px;
  }
  .source-foot {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 8px 12px;
    min-block-size: 68px;
    padding: 12px 20px;
  }
  .source-device {
    flex: 0 1 14rem;
    min-inline-size: 0;
    min-block-size: 36px;
    padding: 6px 8px;
    border: 1px solid var(--_edge);
    border-radius: calc(var(--_radius) - 2px);
    background: transparent;
    color: inherit;
    font: inherit;
    text-overflow: ellipsis;
  }
  .source-device option {
    background: Canvas;
    color: CanvasText;
  }
  .source-actions {
    display: flex;
    flex: 1 1 auto;
    flex-wrap: wrap;
    justify-content: flex-end;
    gap: 8px;
  }
  .act {
    display: inline-flex;
    align-items: center;
    justify-content: center;
    gap: 8px;
    min-block-size: 40px;
    padding: 8px 16px;
    border: 1px solid var(--_edge);
    border-radius: calc(var(--_radius) - 2px);
    font-weight: 500;
  }
  .act:hover {
    background: var(--_fill-hover);
  }
  .act:active {
    background: var(--_fill-active);
  }
  .act.main {
    border-color: transparent;
    background: var(--_primary);
    color: var(--_on-primary);
    /* While only one of the colors has changed, the text could not be read. */
    transition: none;
  }
  .act[aria-disabled='true'] {
    opacity: 0.5;
    cursor: default;
  }
  .act.main:is(:hover, :active) {
    background: color-mix(in oklab, var(--_primary) 88%, var(--_on-primary));
  }
  @media (max-width: 480px) {
    .source-dialog {
      ${bottomSheet}
    }
    .stage:not(.sound-stage) {
      aspect-ratio: 4 / 3;
    }
    .source-foot {
      padding: 12px 16px max(12px, env(safe-area-inset-bottom));
    }
    .source-device,
    .source-actions,
    .act {
      flex: 1 1 auto;
    }
  }
  @media (pointer: coarse) {
    .source-device,
    .act {
      min-block-size: 48px;
    }
    .source-device {
      /* With a smaller font, phones enlarge the page. */
      font-size: max(1rem, 16px);
    }
    .source-close {
      inline-size: 44px;
      block-size: 44px;
    }
  }
  @media (forced-colors: active) {
    .stage {
      border-block: 1px solid;
    }
    .act.main {
      border-color: ButtonText;
    }
  }
`;
