import { css } from 'lit';

/** The row about all files. */
export const summaryStyles = css`
  .summary {
    position: relative;
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0 10px;
    /* A title and two lines of details fit in the row, so that the list does not jump when the connection is lost. */
    min-block-size: 58px;
    padding-block: 2px;
    padding-inline: 16px 8px;
    border-block-end: 1px solid var(--_line);
    background: var(--_fill);
  }
  /* If the text does not fit beside the buttons, it is above them. */
  .summary-text {
    flex: 1 1 6.5rem;
    min-inline-size: min-content;
    overflow-wrap: break-word;
    font-variant-numeric: tabular-nums;
  }
  .summary-title {
    display: flex;
    gap: 4px;
    font-weight: 500;
  }
  .summary-title svg {
    color: var(--_danger);
  }
  .summary-details {
    display: -webkit-box;
    overflow: hidden;
    font-size: 0.75rem;
    line-height: 1rem;
    -webkit-box-orient: vertical;
    -webkit-line-clamp: 2;
  }
  /* An error is never cut. */
  .problem .summary-details {
    display: block;
    text-wrap: balance;
  }
  .summary .actions {
    flex: initial;
    flex-wrap: wrap;
    margin-inline-start: -10px;
  }
  /* Three long buttons, as in German, fit in one line of a phone. */
  @container (inline-size < 400px) {
    .summary {
      min-block-size: 62px;
      padding-block: 4px;
    }
    .summary .plain {
      padding-inline: 7px;
    }
    .summary .actions {
      margin-inline-start: -7px;
    }
  }
  @container (inline-size < 320px) {
    /* Reserves two lines of details, because some texts need them. Otherwise the list would jump when the connection is lost. */
    .summary-text {
      flex-basis: 100%;
      min-block-size: calc(1lh + 2rem);
      align-content: center;
    }
  }
`;
