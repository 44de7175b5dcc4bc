const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '{': '&#123;',
};

/** Text as it may stand in HTML, in quotes too, and in a page that is still to be filled. */
export const escape = (text: string): string => text.replace(/[&<>"'{]/g, (character) => ENTITIES[character]!);
