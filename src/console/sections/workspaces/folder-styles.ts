import { css } from 'lit';

/** Styles of folders and favorites. The colors have a contrast of 3:1 on both themes. */
export const folderStyles = css`
  .folders {
    display: grid;
    grid-template-columns: repeat(auto-fill, minmax(min(100%, 18rem), 1fr));
    align-items: start;
    gap: 1rem;
  }
  .folders .bar {
    flex-wrap: nowrap;
  }
  .folder {
    display: flex;
    align-items: center;
    gap: 0.5rem;
    min-inline-size: 0;
    font-size: 0.9375rem;
  }
  .folder > svg {
    color: var(--muted);
  }
  .red > svg {
    color: light-dark(#c0362c, #ff8a80);
  }
  .orange > svg {
    color: light-dark(#b45309, #ffb266);
  }
  .yellow > svg {
    color: light-dark(#8a6d00, #ffe066);
  }
  .green > svg {
    color: light-dark(#18713c, #7fd6a0);
  }
  .blue > svg {
    color: light-dark(#2f54eb, #8ea6ff);
  }
  .purple > svg {
    color: light-dark(#7c3aed, #c4a7ff);
  }
  .resources {
    display: grid;
    margin: 0;
    padding: 0;
    list-style: none;
  }
  .resources li {
    display: flex;
    align-items: center;
    gap: 0.625rem;
    padding-block: 0.125rem;
  }
  .resources li + li {
    border-block-start: 1px solid var(--line);
  }
  .resources li > svg {
    color: var(--muted);
  }
  .resources bdi {
    flex: 1;
    min-inline-size: 0;
  }
`;
