/**
 * Removes characters from the end of a text. A regular expression such as `/[. ]+$/` would take quadratic time on a long run of
 * these characters inside the text.
 * @param characters every UTF-16 unit that is removed
 */
export function trimEndCharacters(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text[end - 1]!)) end -= 1;
  return text.slice(0, end);
}

/** Removes characters from both ends of a text. @param characters every UTF-16 unit that is removed */
export function trimCharacters(text: string, characters: string): string {
  let start = 0;
  while (start < text.length && characters.includes(text[start]!)) start += 1;
  return trimEndCharacters(text.slice(start), characters);
}
