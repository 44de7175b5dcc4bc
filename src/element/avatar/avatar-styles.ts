import { css } from 'lit';

/** One picture in a circle or a square, its actions and messages beside it. */
export const avatarStyles = css`
  .avatar {
    --_corner: 50%;
    align-items: center;
    gap: 8px 20px;
    /* The ring is outside of the picture. */
    padding: 6px;
  }
  .avatar.square {
    --_corner: 14%;
  }
  .portrait {
    position: relative;
    flex: none;
    inline-size: var(--_avatar);
    block-size: var(--_avatar);
  }
  .avatar.open .portrait {
    cursor: pointer;
  }
  .portrait .picture {
    position: relative;
    display: grid;
    place-items: center;
    inline-size: 100%;
    block-size: 100%;
    border-radius: var(--_corner);
    background: var(--_fill);
    color: var(--_muted);
    overflow: hidden;
  }
  .vacant .picture {
    border: 1px dashed var(--_edge);
  }
  .vacant.open .portrait:hover .picture {
    border-color: currentColor;
  }
  .dragging .avatar .picture {
    border: 2px solid var(--_accent);
    background: var(--_tint);
  }
  .portrait .picture svg {
    inline-size: 40%;
    block-size: 40%;
    stroke-width: 1;
  }
  .portrait .drawn ~ svg {
    visibility: hidden;
  }
  .portrait canvas {
    transition: opacity var(--_quick);
  }
  .avatar:is(.quiet, .waiting, .active, .problem) canvas {
    opacity: 0.6;
  }
  /* Shows on a picture that a press replaces it. */
  .veil {
    position: absolute;
    inset: 0;
    display: grid;
    place-items: center;
    border-radius: var(--_corner);
    background: rgb(0 0 0 / 0.6);
    color: #fff;
    opacity: 0;
    transition: opacity var(--_quick);
  }
  .avatar:not(.vacant) .portrait:hover .veil {
    opacity: 1;
  }
  .portrait .ring {
    position: absolute;
    inset: -6px;
    inline-size: calc(100% + 12px);
    block-size: calc(100% + 12px);
    pointer-events: none;
  }
  .ring-track {
    stroke: var(--_fill-active);
  }
  .ring-value {
    stroke: var(--_accent);
    stroke-linecap: butt;
  }
  .ring-unknown {
    animation: ring-turn 1.4s linear infinite;
  }
  .square .ring-unknown {
    animation: none;
  }
  .square .ring-unknown .ring-value {
    animation: ring-run 1.4s linear infinite;
  }
  @keyframes ring-turn {
    to {
      rotate: 360deg;
    }
  }
  @keyframes ring-run {
    to {
      stroke-dashoffset: -1.25;
    }
  }
  @media (prefers-reduced-motion: reduce) {
    .ring-unknown,
    .square .ring-unknown .ring-value {
      animation: none;
    }
  }
  .avatar:is(.quiet, .waiting) .ring-value {
    stroke: var(--_edge);
  }
  .avatar.problem .portrait::after,
  :host(:state(user-invalid)) .avatar .portrait::after {
    content: '';
    position: absolute;
    inset: -4px;
    border: 2px solid var(--_danger);
    border-radius: var(--_corner);
    pointer-events: none;
  }
  .beside-portrait {
    display: grid;
    flex: 1;
    gap: 4px;
    min-inline-size: 0;
  }
  .avatar-actions {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 4px;
    margin-block-end: 2px;
  }
  /* One line is reserved. */
  .portrait-status {
    min-block-size: 1rem;
  }
  .portrait-status .status {
    flex-wrap: wrap;
  }
  .portrait-status .state {
    white-space: normal;
  }
  .portrait-status.problem .status {
    flex-wrap: nowrap;
  }
  .avatar + .files {
    margin-block-start: 12px;
  }
  @container (inline-size < 300px) {
    .avatar {
      flex-direction: column;
      align-items: start;
    }
    .beside-portrait {
      align-self: stretch;
    }
  }
  @media (hover: none) {
    .veil {
      display: none;
    }
  }
  @media (forced-colors: active) {
    .portrait .picture {
      border: 1px solid;
    }
    .dragging .avatar .picture {
      border: 3px solid Highlight;
    }
    .ring-track {
      stroke: Canvas;
    }
    .ring-value {
      stroke: Highlight !important;
    }
    .veil {
      background: Canvas;
      color: CanvasText;
    }
    .avatar.problem .portrait::after {
      border-style: double;
      border-width: 4px;
      inset: -6px;
    }
  }
  @media print {
    .avatar-actions {
      display: none;
    }
  }
`;
