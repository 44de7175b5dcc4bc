/** Sections of an AWS configuration file: name to settings; nested settings are named `parent.child`. */
export type Ini = Map<string, Record<string, string>>;

/** Source: AWS CLI user guide, "Configuration and credential file settings". */
export function parseIni(text: string): Ini {
  const sections: Ini = new Map();
  let section: Record<string, string> | undefined;
  let parent = '';
  for (const line of text.split(/\r?\n/)) {
    if (/^\s*(?:[#;].*)?$/.test(line)) continue;
    const head = /^\[\s*(?:profile\s+)?(?:"(.+?)"|'(.+?)'|(.+?))\s*\]/.exec(line);
    if (head) {
      const name = (head[1] ?? head[2] ?? head[3])!;
      section = sections.get(name) ?? {};
      sections.set(name, section);
      parent = '';
      continue;
    }
    const setting = /^(\s*)([^=]+?)\s*=\s*(.*?)\s*$/.exec(line);
    if (setting === null || section === undefined) continue;
    const [, indent, written, value] = setting as unknown as [string, string, string, string];
    // AWS's own tools mind no case here.
    const name = written.trim().toLowerCase();
    if (indent !== '' && parent !== '') section[`${parent}.${name}`] = value;
    else {
      section[name] = value;
      parent = value === '' ? name : '';
    }
  }
  return sections;
}
