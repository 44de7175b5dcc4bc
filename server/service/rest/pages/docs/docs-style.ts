import { inlineElement } from '../html.js';

export const DOCS_STYLE = inlineElement(
  'style',
  `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}body{max-width:60rem;margin:0 auto;padding:1.5rem 1rem 4rem}
h1{font-size:1.6rem;line-height:1.2}h2{font-size:1.2rem;margin-top:2.5rem}h3{font-size:1rem;margin-bottom:.25rem}a{color:LinkText}table{border-collapse:collapse;width:100%}
td,th{text-align:start;padding:.35rem .75rem .35rem 0;border-bottom:1px solid color-mix(in srgb,CanvasText 15%,transparent);vertical-align:top;overflow-wrap:anywhere}
td.number{text-align:end;white-space:nowrap;font-variant-numeric:tabular-nums}code,pre{font:.875em/1.5 ui-monospace,monospace}
pre{overflow:auto;padding:.75rem;border-radius:.5rem;background:color-mix(in srgb,CanvasText 6%,transparent)}summary{cursor:pointer;padding:.4rem 0}
details{border-bottom:1px solid color-mix(in srgb,CanvasText 15%,transparent)}details>div{padding:0 0 1rem 1rem}.method{display:inline-block;min-width:4.5rem;font-weight:600}
.quiet{color:color-mix(in srgb,CanvasText 65%,transparent)}
.groups{display:flex;flex-wrap:wrap;gap:.25rem 1rem;margin:1.5rem 0}.settings{display:flex;flex-wrap:wrap;gap:1rem 2rem;align-items:flex-start;padding:1rem;border-radius:.75rem;background:color-mix(in srgb,CanvasText 6%,transparent)}
fieldset{border:0;padding:0;margin:0;display:flex;flex-wrap:wrap;gap:.25rem 1rem}legend{padding:0;font-weight:600}#access{flex:1 1 20rem;font-weight:600}#access small{display:block;font-weight:400}
input:not([type=radio],[type=file]),textarea{display:block;box-sizing:border-box;width:100%;font:inherit;padding:.5rem .65rem;margin-top:.25rem;border:1px solid color-mix(in srgb,CanvasText 50%,transparent);border-radius:.5rem;background:Field;color:FieldText}textarea,output{font:.875em/1.5 ui-monospace,monospace}
form.try{padding:1rem;border:1px solid color-mix(in srgb,CanvasText 20%,transparent);border-radius:.75rem}form.try h3{margin-top:0}form.try label{display:block;margin:0 0 .75rem}button{font:inherit;font-weight:600;padding:.6rem 1.1rem;border:0;border-radius:.5rem;background:CanvasText;color:Canvas;cursor:pointer}button:disabled{opacity:.5}
output{display:block;white-space:pre-wrap;overflow-wrap:anywhere;max-height:30rem;overflow:auto}output:not(:empty){margin-top:1rem;padding:.75rem;border-radius:.5rem;background:color-mix(in srgb,CanvasText 6%,transparent)}
.example{display:none}body:has(#in-curl:checked) .curl,body:has(#in-javascript:checked) .javascript,body:has(#in-python:checked) .python{display:block}summary code{overflow-wrap:anywhere}:focus-visible{outline:2px solid LinkText;outline-offset:2px}
@media(max-width:36rem){td{display:block;padding:.1rem 0;border:0}td:first-child{padding-top:.5rem}tr{border-bottom:1px solid color-mix(in srgb,CanvasText 15%,transparent);display:block}details>div{padding-left:0}.method{min-width:0;margin-right:.35rem}summary .quiet{display:block}}`,
);
