import { css } from 'lit';

/** Custom properties of the whole page: colors for light and dark, sizes, shadows. Components use them and no colors of their own. */
export const tokens = css`
  :root {
    color-scheme: light dark;
    --page: light-dark(#fbfbfc, #0e1015);
    --surface: light-dark(#ffffff, #15181f);
    --raised: light-dark(#ffffff, #1b1f28);
    --sidebar: light-dark(#f4f5f8, #0b0d11);
    --text: light-dark(#16181f, #eceef4);
    --muted: light-dark(#5b6172, #9aa1b4);
    --line: light-dark(#e5e7ed, #262b36);
    --field-line: light-dark(#858c9e, #6a7287);
    --hover: light-dark(#f1f2f6, #1d212a);
    --pressed: light-dark(#e6e8ef, #272c38);
    --accent: light-dark(#2f54eb, #8ea6ff);
    --accent-strong: light-dark(#2443c8, #a9bcff);
    --accent-soft: light-dark(#edf1ff, #1b2440);
    --on-accent: light-dark(#ffffff, #0c1230);
    --danger: light-dark(#b3261e, #ffb4ab);
    --danger-strong: light-dark(#8f1d17, #ffcdc7);
    --danger-soft: light-dark(#fdeeed, #351a1a);
    --on-danger: light-dark(#ffffff, #3a0b08);
    --good: light-dark(#18713c, #7fd6a0);
    --good-soft: light-dark(#e7f6ed, #12291c);
    --warning: light-dark(#8a5a00, #f0c36d);
    --warning-soft: light-dark(#fff5e0, #2e2411);
    --shadow: 0 1px 2px light-dark(#10142414, #0006), 0 8px 28px light-dark(#1014241f, #0008);
    --radius: 0.5rem;
    --radius-small: 0.375rem;
    --sidebar-size: 15.5rem;
    --font: system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif;
    --mono: ui-monospace, 'SF Mono', 'Cascadia Code', Menlo, Consolas, monospace;
    background: var(--page);
    color: var(--text);
    -webkit-text-size-adjust: 100%;
  }
  :root[data-theme='light'] {
    color-scheme: light;
  }
  :root[data-theme='dark'] {
    color-scheme: dark;
  }
  body {
    margin: 0;
    font: 0.875rem/1.5 var(--font);
    min-block-size: 100vh;
    min-block-size: 100dvh;
    overflow-wrap: anywhere;
  }
`;
