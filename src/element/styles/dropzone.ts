import { css } from 'lit';

/** The area where files are chosen, in its three appearances. Below 360 px the drop zone is only a button, because phones have no drag and drop. */
export const dropzoneStyles = css`
  .dropzone {
    position: relative;
    display: flex;
    align-items: center;
    gap: 4px 12px;
  }
  .zone {
    flex-direction: column;
    justify-content: center;
    gap: 12px;
    min-block-size: 144px;
    padding: 20px 16px;
    border: 1px dashed var(--_edge);
    border-radius: var(--_radius);
    background: var(--svc-uploader-background, transparent);
    text-align: center;
    transition:
      background-color var(--_quick),
      border-color var(--_quick);
  }
  :host([appearance='avatar']) .dropzone {
    min-block-size: calc(var(--_avatar) + 12px);
  }
  .zone.open {
    cursor: pointer;
  }
  .zone.open:hover {
    border-color: currentColor;
  }
  .zone > svg {
    color: var(--_muted);
  }
  .invitation {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    justify-content: center;
    gap: 8px;
  }
  .dragging .zone,
  .dragging .line,
  .dragging .pick {
    border-color: var(--_accent);
    border-style: solid;
    background: var(--_tint);
  }
  .dragging .zone > svg {
    color: var(--_accent);
  }
  .line {
    flex-wrap: wrap;
    min-block-size: 48px;
    padding: 5px;
    border: 1px solid var(--_line);
    border-radius: var(--_radius);
    overflow: clip;
  }
  .beside {
    flex: 1;
    min-inline-size: 0;
    overflow: hidden;
    color: var(--_muted);
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .below {
    margin-block-start: 6px;
  }
  .reserved {
    visibility: hidden;
  }
  :host(:state(user-invalid)) .zone,
  :host(:state(user-invalid)) .line,
  :host(:state(user-invalid)) .pick {
    border-color: var(--_danger);
  }
  .below.late {
    display: none;
  }
  @container (inline-size < 360px) {
    .late {
      display: none;
    }
    .zone {
      align-items: stretch;
      gap: 6px;
      min-block-size: 0;
      padding: 0;
      border: 0;
      text-align: start;
    }
    .zone > svg,
    .zone .drop-words:not(.full) {
      display: none;
    }
    .zone .full {
      flex-basis: 100%;
      color: var(--_muted);
    }
    .zone .pick {
      flex: 1;
      min-block-size: 44px;
    }
    /* The file is below the button, because beside it the name would be cut. */
    .filled {
      flex-wrap: wrap;
    }
    .filled .pick {
      flex: 1 0 100%;
    }
  }
  @media (forced-colors: active) {
    .dragging .zone,
    .dragging .line {
      border-color: Highlight;
      outline: 1px solid Highlight;
    }
    :host(:state(user-invalid)) .dropzone {
      outline: 2px solid;
    }
  }
`;
