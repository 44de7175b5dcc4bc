/** An element that the page is known to have. */
export const byId = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;
