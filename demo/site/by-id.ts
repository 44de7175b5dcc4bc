/** Returns an element that the page contains. */
export const byId = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;
