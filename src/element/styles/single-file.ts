import { css } from 'lit';

/** The single file beside the button of the `inline` appearance. */
export const singleFileStyles = css`
  .one {
    color: inherit;
    line-height: 1.125rem;
  }
  .one .state {
    overflow: hidden;
    text-overflow: ellipsis;
  }
  /* Wraps to a line of its own if there is no room beside the button. */
  .chosen {
    display: flex;
    flex: 1 1 13rem;
    align-items: center;
    min-inline-size: 0;
  }
  /* Errors are never cut, and have the width of the element. */
  .chosen:has(.problem) {
    flex-basis: 100%;
  }
  .one.problem .state {
    white-space: normal;
  }
  .line progress {
    inset-block-end: 0;
  }
  @container (inline-size < 360px) {
    .one {
      padding-inline-start: 9px;
    }
  }
`;
