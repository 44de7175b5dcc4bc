const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '{': '&#123;',
};

/** Escapes text for HTML, for attribute values, and for the `{{…}}` placeholders of a page. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"'{]/g, (character) => ENTITIES[character]!);
