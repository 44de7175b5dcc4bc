import { css } from 'lit';

/** The dialog in which a person edits a picture. It covers a phone, where its buttons are at the bottom. */
export const editorStyles = css`
  .editor {
    inline-size: min(100vw - 48px, 45rem);
    block-size: min(100dvh - 48px, 42rem);
    max-inline-size: none;
    max-block-size: none;
    padding: 0;
    border: 1px solid var(--_line);
    border-radius: calc(var(--_radius) + 4px);
    background: var(--_page-background, Canvas);
    color: var(--_page-text, CanvasText);
    font-size: 0.875rem;
    line-height: 1.25rem;
    overflow: hidden;
  }
  .editor[open] {
    display: flex;
    flex-direction: column;
  }
  .editor::backdrop {
    background: rgb(0 0 0 / 0.55);
  }
  .editor .editor-title {
    flex: none;
    margin: 0;
    padding: 12px 16px;
    font: inherit;
    font-weight: 600;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  /* Dark in every theme, because the part that is cut off is darkened. */
  .editor .stage {
    position: relative;
    flex: 1 1 10rem;
    min-block-size: 0;
    background: #2b2b30;
  }
  .editor .stage canvas {
    visibility: visible;
    touch-action: none;
    cursor: move;
    user-select: none;
    -webkit-user-select: none;
    -webkit-touch-callout: none;
  }
  .editor .stage canvas:focus {
    outline: none;
  }
  .editor .stage canvas:focus-visible {
    outline: 2px solid #fff;
    outline-offset: -3px;
  }
  .editor .busy {
    position: absolute;
    inset-block-end: 12px;
    inset-inline: 0;
    inline-size: fit-content;
    margin-inline: auto;
    padding: 4px 12px;
    border-radius: 999px;
    background: rgb(0 0 0 / 0.75);
    color: #fff;
    pointer-events: none;
  }
  .editor .editor-message {
    flex: none;
    margin: 0;
    padding: 8px 16px;
    color: var(--_danger);
  }
  .editor .editor-message:empty {
    display: none;
  }
  .editor .stage[hidden] + * + .editor-message {
    flex: 1;
  }
  .editor .tools {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    flex: none;
    gap: 4px;
    padding: 8px 12px 4px;
  }
  .editor .tool-row,
  .editor .editor-buttons {
    display: flex;
    align-items: center;
    gap: 4px;
  }
  .editor .gap {
    flex: 1;
  }
  .editor .crop-size {
    padding-inline: 4px;
    color: var(--_muted);
    font-size: 0.75rem;
    font-variant-numeric: tabular-nums;
    text-align: end;
  }
  .editor .ratios {
    display: flex;
    flex-wrap: wrap;
    gap: 4px;
    padding-inline: 4px;
  }
  .editor .ratio {
    position: relative;
    cursor: pointer;
  }
  .editor .ratio input {
    position: absolute;
    inset: 0;
    inline-size: 100%;
    block-size: 100%;
    margin: 0;
    opacity: 0;
    cursor: inherit;
  }
  .editor .ratio span {
    display: grid;
    place-items: center;
    min-inline-size: 44px;
    min-block-size: 32px;
    padding-inline: 10px;
    border: 1px solid var(--_edge);
    border-radius: 999px;
    font-size: 0.8125rem;
    font-variant-numeric: tabular-nums;
  }
  .editor .ratio:hover span {
    background: var(--_fill-hover);
  }
  .editor .ratio :checked + span {
    border-color: var(--_primary);
    background: var(--_primary);
    color: var(--_on-primary);
  }
  .editor .ratio :focus-visible + span {
    outline: 2px solid var(--_accent);
    outline-offset: 2px;
  }
  .editor .sliders {
    display: grid;
    grid-template-columns: 1fr 1fr;
    gap: 0 24px;
    padding-inline: 4px;
  }
  .editor .slider {
    display: grid;
    grid-template-columns: auto minmax(0, 1fr) 3.25em;
    align-items: center;
    gap: 8px;
    min-block-size: 32px;
    color: var(--_muted);
    font-size: 0.8125rem;
  }
  .editor .slider input {
    inline-size: 100%;
    margin: 0;
    accent-color: var(--_accent);
  }
  .editor .slider input:focus-visible {
    outline: 2px solid var(--_accent);
    outline-offset: 2px;
    border-radius: 4px;
  }
  .editor .slider output {
    font-variant-numeric: tabular-nums;
    text-align: end;
    white-space: nowrap;
  }
  .editor .editor-buttons {
    flex: none;
    padding: 8px 12px 12px;
  }
  .editor .editor-buttons .plain {
    min-block-size: 36px;
    padding-inline: 14px;
  }
  @media (pointer: coarse) {
    .editor .editor-buttons .plain,
    .editor .slider,
    .editor .ratio span {
      min-block-size: 44px;
    }
  }
  @media (max-width: 600px) {
    .editor {
      inset: 0;
      inline-size: 100vw;
      block-size: 100dvh;
      margin: 0;
      border: 0;
      border-radius: 0;
    }
    .editor .sliders {
      grid-template-columns: 1fr;
    }
    .editor .slider {
      grid-template-columns: 6.5em minmax(0, 1fr) 3.25em;
    }
    .editor .editor-buttons {
      flex-wrap: wrap;
      justify-content: end;
      padding-block-end: max(12px, env(safe-area-inset-bottom));
    }
    .editor .editor-buttons .plain {
      padding-inline: 10px;
    }
  }
  /* A phone on its side: the tools stand beside the picture. */
  @media (max-height: 480px) and (min-width: 560px) {
    .editor {
      inline-size: 100vw;
      block-size: 100dvh;
      margin: 0;
      border: 0;
      border-radius: 0;
    }
    .editor[open] {
      display: grid;
      grid-template: auto auto 1fr auto / minmax(0, 1fr) 20rem;
    }
    .editor .stage {
      grid-area: 1 / 1 / -1 / 2;
    }
    .editor .editor-title,
    .editor .editor-message,
    .editor .tools,
    .editor .editor-buttons {
      grid-column: 2;
    }
    .editor .tools {
      align-content: start;
      grid-row: 3;
      overflow: auto;
    }
    .editor .editor-message {
      grid-row: 2;
    }
    .editor .editor-buttons {
      grid-row: 4;
    }
    .editor .sliders {
      grid-template-columns: 1fr;
    }
  }
  @media (forced-colors: active) {
    .editor .stage,
    .editor .busy {
      forced-color-adjust: none;
    }
    .editor .ratio :checked + span {
      background: Highlight;
      color: HighlightText;
      forced-color-adjust: none;
    }
  }
  @media print {
    .editor {
      display: none;
    }
  }
`;
