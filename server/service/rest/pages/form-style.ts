import { inlineElement } from './html.js';

/** The rules of pages with a form: a card in the middle, light and dark. Pages of shares add theirs. */
export const FORM_RULES = `:root{color-scheme:light dark;--page:#f3f4f8;--card:#fff;--text:#14161f;--quiet:#5a6072;--line:#8b91a5;--soft-line:#dcdfe8;--field:#fff;--accent:#2f54eb;--on-accent:#fff;--hover:#2443c8;--bad:#b3261e;--bad-soft:#fdeeed;--good-soft:#eaf1ff;--shadow:0 1px 2px #10142414,0 12px 40px #10142414;font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
@media(prefers-color-scheme:dark){:root{--page:#0f1117;--card:#181b24;--text:#eceef5;--quiet:#a2a8ba;--line:#666e86;--soft-line:#343a4b;--field:#11141c;--accent:#8ea6ff;--on-accent:#0c1230;--hover:#a9bcff;--bad:#ffb4ab;--bad-soft:#3a1a1a;--good-soft:#1b2440;--shadow:0 1px 2px #0006,0 12px 40px #0006}}
*{box-sizing:border-box}html{-webkit-text-size-adjust:100%}body{margin:0;min-height:100vh;min-height:100dvh;display:flex;flex-direction:column;align-items:center;justify-content:center;padding:2rem 1rem;background:var(--page);color:var(--text)}
main{width:100%;max-width:26rem;background:var(--card);border:1px solid var(--soft-line);border-radius:1rem;box-shadow:var(--shadow);padding:2.25rem}
.wide main{max-width:34rem}.brand{display:flex;align-items:center;gap:.6rem;margin:0 0 1.75rem;font-weight:600;font-size:.95rem}.brand svg{width:2rem;height:2rem;flex:none}
h1{font-size:1.5rem;line-height:1.25;letter-spacing:-.01em;margin:0 0 .4rem;text-wrap:balance;overflow-wrap:anywhere}h2{font-size:1rem;margin:1.5rem 0 .5rem}p{margin:0 0 1rem}.quiet{color:var(--quiet);font-size:.9375rem}.intro{color:var(--quiet);margin-bottom:1.5rem;overflow-wrap:anywhere}
.notice{border-radius:.625rem;padding:.75rem .9rem;margin:0 0 1.25rem;background:var(--bad-soft);color:var(--bad);overflow-wrap:anywhere}
form{margin:0}.field{margin:0 0 1.1rem}label{display:block;font-weight:600;font-size:.9rem;margin-bottom:.35rem}
input:not([type=checkbox],[type=radio]),select{display:block;width:100%;font:inherit;color:inherit;background:var(--field);border:1px solid var(--line);border-radius:.625rem;padding:.65rem .8rem;min-height:2.9rem}
input[aria-invalid=true]{border-color:var(--bad);box-shadow:inset 0 0 0 1px var(--bad)}.hint,.error{font-size:.875rem;line-height:1.4;margin:.4rem 0 0}.hint{color:var(--quiet)}.error{color:var(--bad);display:flex;gap:.4rem}.error::before{content:"!";flex:none;width:1.15rem;height:1.15rem;margin-top:.05rem;border-radius:50%;background:var(--bad);color:var(--card);font-weight:700;font-size:.8rem;line-height:1.15rem;text-align:center}
button,.button{display:block;width:100%;font:inherit;font-weight:600;text-align:center;text-decoration:none;border:1px solid transparent;border-radius:.625rem;padding:.7rem 1rem;min-height:2.9rem;cursor:pointer;background:var(--accent);color:var(--on-accent);margin-top:.5rem}
button:hover,.button:hover{background:var(--hover)}.secondary{background:transparent;color:var(--text);border-color:var(--line)}.secondary:hover{background:color-mix(in srgb,var(--text) 6%,transparent)}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}input:focus-visible{outline-offset:0;border-color:var(--accent)}
dl{margin:0 0 1.5rem;padding:.875rem 1rem;border:1px solid var(--soft-line);border-radius:.625rem}dt{color:var(--quiet);font-size:.875rem}dd{margin:0;font-weight:600;overflow-wrap:anywhere}dd+dt{margin-top:.625rem}dd small{display:block;font-weight:400;color:var(--quiet)}
fieldset{border:0;margin:0 0 1.5rem;padding:0;min-width:0}legend{padding:0;font-weight:600}legend+.quiet{margin:0 0 .5rem}h3{margin:.875rem 0 .125rem;font-size:.8125rem;font-weight:600;color:var(--quiet)}
.choice{display:flex;gap:.75rem;align-items:flex-start;font-weight:400;font-size:1rem;padding:.5rem .625rem;margin:0 -.625rem;border-radius:.5rem;cursor:pointer;overflow-wrap:anywhere}.choice:hover{background:var(--good-soft)}.choice input{flex:none;width:1.125rem;height:1.125rem;margin:.1875rem 0 0;accent-color:var(--accent)}.choice small{display:block;color:var(--quiet)}
.buttons{display:flex;gap:.75rem;padding-top:1.25rem;border-top:1px solid var(--soft-line)}.buttons button{flex:1;margin:0}code{font:.875em/1.5 ui-monospace,monospace;overflow-wrap:anywhere}summary{cursor:pointer}details{margin:0 0 1rem}details p{margin:.5rem 0 0}
.more{margin:1.25rem 0 0;font-size:.875rem;color:var(--quiet)}a{color:var(--accent)}.linked .code{display:none}
@media(max-width:30rem){body{justify-content:flex-start;padding:0;background:var(--card)}main{border:0;border-radius:0;box-shadow:none;padding:1.75rem 1.25rem 2.5rem}}
@media(forced-colors:active){button,.button{border-color:ButtonText}}`;

export const FORM_STYLE = inlineElement('style', FORM_RULES);
