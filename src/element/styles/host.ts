import { css } from 'lit';

/**
 * The element inherits font, color and accent of the page, so it needs no theme for light or dark pages. `colors/` measures the page and
 * sets the properties `--_page-…`. Until then every shade is mixed from the page's text color, with more contrast than looks.
 */
export const hostStyles = css`
  :host {
    display: block;
    min-inline-size: min(100%, 15rem);
    font-size: 0.875rem;
    line-height: 1.25rem;
    text-align: start;
    transition:
      color 1ms step-start,
      accent-color 1ms step-start allow-discrete;

    --_radius: var(--svc-uploader-radius, 8px);
    --_row: var(--svc-uploader-row-height, max(56px, 3.5rem));
    --_list: var(--svc-uploader-list-height, calc(6.5 * (var(--_row) + 1px)));
    --_avatar: var(--svc-uploader-avatar-size, 96px);
    --_quick: var(--svc-uploader-duration, 140ms);
  }
  :host([hidden]) {
    display: none;
  }
  .root {
    --_accent: var(--svc-uploader-accent, var(--_page-accent, color-mix(in oklab, #2563eb 60%, currentColor)));
    /* Without currentColor, which is the color of the text on it. */
    --_primary: var(--svc-uploader-accent, var(--_page-accent, #2563eb));
    --_on-primary: var(--_page-on-accent, #fff);
    --_danger: var(--svc-uploader-danger, var(--_page-danger, color-mix(in oklab, #dc2626 50%, currentColor)));
    --_success: var(--svc-uploader-success, var(--_page-success, color-mix(in oklab, #15913f 50%, currentColor)));
    --_muted: var(--svc-uploader-muted, var(--_page-muted, currentColor));
    --_line: var(--svc-uploader-border-color, color-mix(in oklab, currentColor 16%, transparent));
    --_edge: var(--svc-uploader-control-border-color, var(--_page-edge, color-mix(in oklab, currentColor 60%, transparent)));
    --_fill: var(--svc-uploader-fill, var(--_page-fill, color-mix(in oklab, currentColor 5%, transparent)));
    --_fill-hover: var(--_page-fill-hover, color-mix(in oklab, currentColor 9%, transparent));
    --_fill-active: var(--_page-fill-active, color-mix(in oklab, currentColor 14%, transparent));
    --_tint: var(--_page-tint, color-mix(in oklab, var(--_accent) 8%, transparent));
    color: var(--_page-text, inherit);
    container-type: inline-size;
    /* Without it the element would have no width in a container that shrinks to fit: a dialog, a float, an auto column. */
    contain-intrinsic-inline-size: min(24rem, 50vw);
    position: relative;
  }
  :host([appearance='button']) .root {
    contain-intrinsic-inline-size: 0;
  }
  * {
    box-sizing: border-box;
  }
  [hidden] {
    display: none !important;
  }
  svg {
    inline-size: 20px;
    block-size: 20px;
    flex: none;
  }
  .label {
    display: block;
    margin-block-end: 8px;
    font-weight: 500;
  }
  .hint {
    color: var(--_muted);
    font-size: 0.8125rem;
  }
  .hidden {
    position: absolute;
    inline-size: 1px;
    block-size: 1px;
    margin: -1px;
    background: Canvas;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
  /* The state of a file, or of the element. */
  .status {
    display: flex;
    gap: 4px;
    max-inline-size: 100%;
    color: var(--_muted);
    font-size: 0.75rem;
    line-height: 1rem;
    font-variant-numeric: tabular-nums;
  }
  .status svg {
    inline-size: 16px;
    block-size: 16px;
  }
  .problem .status {
    color: var(--_danger);
  }
  :host(:disabled) {
    cursor: not-allowed;
  }
  :host(:disabled) .label,
  :host(:disabled) .drop-words {
    color: var(--_muted);
  }
  @media (prefers-reduced-motion: reduce) {
    :host {
      --_quick: 0s;
    }
  }
`;
