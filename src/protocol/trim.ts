/** Removes characters from the end of a text, in one pass: a regular expression would look at a long run once for each of its characters. */
export function trimEndCharacters(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text[end - 1]!)) end -= 1;
  return text.slice(0, end);
}

/** Removes characters from both ends of a text. */
export function trimCharacters(text: string, characters: string): string {
  let start = 0;
  while (start < text.length && characters.includes(text[start]!)) start += 1;
  return trimEndCharacters(text.slice(start), characters);
}
