/** Sections of an AWS configuration file by name. A nested setting has the name `parent.child`. */
export type Ini = Map<string, Record<string, string>>;

/** Parses an AWS configuration file. @see AWS CLI user guide, "Configuration and credential file settings" */
export function parseIni(text: string): Ini {
  const sections: Ini = new Map();
  let section: Record<string, string> | undefined;
  let parent = '';
  for (const line of text.split(/\r?\n/)) {
    if (/^\s*(?:[#;].*)?$/.test(line)) continue;
    const name = sectionName(line);
    if (name !== undefined) {
      section = sections.get(name) ?? {};
      sections.set(name, section);
      parent = '';
      continue;
    }
    const equals = line.indexOf('=');
    // AWS's own tools ignore the case of names.
    const setting = line.slice(0, Math.max(0, equals)).trim().toLowerCase();
    if (setting === '' || section === undefined) continue;
    const value = line.slice(equals + 1).trim();
    if (/^\s/.test(line) && parent !== '') section[`${parent}.${setting}`] = value;
    else {
      section[setting] = value;
      parent = value === '' ? setting : '';
    }
  }
  return sections;
}

/** Returns the name in `[name]`, `[profile name]` or `[profile "name"]`. Undefined if the line does not begin a section. */
function sectionName(line: string): string | undefined {
  const end = line.indexOf(']');
  if (!line.startsWith('[') || end < 0) return undefined;
  const name = line
    .slice(1, end)
    .trim()
    .replace(/^profile\s+/, '');
  const quote = name[0];
  const isQuoted = name.length > 2 && (quote === '"' || quote === "'") && name.endsWith(quote);
  return (isQuoted ? name.slice(1, -1) : name) || undefined;
}
