import { css } from 'lit';

/** Layout of the frame: a fixed navigation beside the content; on narrow screens a bar above it. */
export const appStyles = css`
  :host {
    display: grid;
    grid-template-columns: var(--sidebar-size) minmax(0, 1fr);
    grid-template-rows: auto 1fr;
    min-block-size: 100dvh;
  }
  .skip {
    position: fixed;
    inset-block-start: -4rem;
    inset-inline-start: 0.5rem;
    z-index: 5;
  }
  .skip:focus {
    inset-block-start: 0.5rem;
  }
  header {
    grid-column: 1 / -1;
  }
  .top {
    display: none;
  }
  .side {
    position: sticky;
    inset-block-start: 0;
    block-size: 100dvh;
    overflow: auto;
    border-inline-end: 1px solid var(--line);
    background: var(--sidebar);
  }
  .sidebar {
    display: flex;
    flex-direction: column;
    gap: 0.75rem;
    min-block-size: 100%;
    padding: 0.875rem 0.75rem;
  }
  .brand {
    display: flex;
    align-items: center;
    gap: 0.5rem;
    padding: 0 0.375rem;
    font-weight: 600;
  }
  .sign {
    inline-size: 1.5rem;
    block-size: 1.5rem;
    flex: none;
  }
  nav {
    display: grid;
    gap: 0.125rem;
  }
  nav a {
    display: flex;
    align-items: center;
    gap: 0.625rem;
    min-block-size: 2rem;
    padding: 0.25rem 0.5rem;
    border-radius: var(--radius-small);
    color: var(--text);
    font-weight: 500;
    text-decoration: none;
  }
  nav a svg {
    color: var(--muted);
  }
  nav a:hover {
    background: var(--hover);
  }
  nav a[aria-current] {
    background: var(--pressed);
  }
  nav a[aria-current] svg {
    color: var(--accent);
  }
  .rest {
    display: grid;
    gap: 0.75rem;
    margin-block-start: auto;
  }
  .quota {
    display: grid;
    gap: 0.25rem;
    padding: 0 0.5rem;
    color: var(--muted);
    font-size: 0.8125rem;
  }
  meter {
    inline-size: 100%;
    block-size: 0.5rem;
  }
  .switch,
  .account {
    justify-content: space-between;
    inline-size: 100%;
    min-inline-size: 0;
    text-align: start;
  }
  .switch bdi,
  .person > * {
    overflow: hidden;
    text-overflow: ellipsis;
  }
  :is(.switch, .account) > svg {
    color: var(--muted);
  }
  .account {
    gap: 0.625rem;
    padding: 0.375rem 0.5rem;
    border-color: transparent;
    background: transparent;
  }
  .avatar {
    display: grid;
    place-items: center;
    flex: none;
    inline-size: 1.75rem;
    block-size: 1.75rem;
    border-radius: 50%;
    background: var(--accent-soft);
    color: var(--accent);
    font-weight: 600;
  }
  .person {
    display: grid;
    flex: 1;
    min-inline-size: 0;
    line-height: 1.3;
  }
  .person small {
    color: var(--muted);
    font-size: 0.75rem;
    font-weight: 400;
  }
  main {
    display: flex;
    flex-direction: column;
    min-inline-size: 0;
    padding: 1rem 1.5rem 5rem;
    outline: none;
  }
  main > .banner {
    margin-block-end: 0.75rem;
  }
  .page-skeleton {
    display: grid;
    gap: 1.25rem;
    max-inline-size: 30rem;
    padding-block: 0.75rem;
  }
  #drawer {
    display: none;
  }
  @media (max-width: 52rem) {
    :host {
      grid-template-columns: minmax(0, 1fr);
      grid-template-rows: auto 1fr;
    }
    .side {
      display: none;
    }
    .top {
      display: flex;
      align-items: center;
      gap: 0.5rem;
      padding: 0.375rem 0.5rem;
      border-block-end: 1px solid var(--line);
      background: var(--sidebar);
    }
    main {
      padding: 0.75rem 1rem 7rem;
    }
    #drawer[open] {
      display: block;
      inline-size: min(19rem, 88vw);
      block-size: 100dvh;
      max-block-size: none;
      margin: 0;
      margin-inline-end: auto;
      padding: 0;
      border: 0;
      background: var(--sidebar);
      color: var(--text);
    }
    #drawer .close {
      position: absolute;
      inset-block-start: 0.375rem;
      inset-inline-end: 0.375rem;
    }
    #drawer::backdrop {
      background: rgb(8 10 16 / 45%);
    }
  }
`;
