/** A regular expression that may take super-linear time, because no text from outside reaches it or its text is short. */
export interface Accepted {
  file: string;
  /** The pattern, or the code that makes it. */
  source: string;
  reason: string;
}

const OWN_NAME = 'Made of a name that is compared as it is. Each attempt ends at the next quote of a message of bounded length.';

export const ACCEPTED: Accepted[] = [
  {
    file: 'src/bulk/list/glob.ts',
    source: '`^[${set}]$`',
    reason: 'Made of one set of characters. It looks at one character.',
  },
  {
    file: 'server/cli/completion/location-candidates.ts',
    source: '` --${flag}[= ]["\']?([^\\\\s"\']+)`',
    reason: 'Made of the names of four flags. It reads the line that a person types.',
  },
  { file: 'server/cli/bulk/failures-text.ts', source: '`^${path}${own}: `', reason: OWN_NAME },
  { file: 'server/cli/bulk/failures-text.ts', source: '`^${path}${own}(?= )`', reason: OWN_NAME },
  { file: 'server/cli/bulk/failures-text.ts', source: "`'${path}${own}'`", reason: OWN_NAME },
  { file: 'server/cli/bulk/format.ts', source: '\\B(?=(?:\\d{3})+$)', reason: 'The text is a number, at most 25 characters.' },
  {
    file: 'server/cli/bulk/journals.ts',
    source: '`^[0-9a-f]{${NAME_LENGTH}}(?:/|$)`',
    reason: 'Made of a fixed length. It is anchored and repeats nothing else.',
  },
  {
    file: 'demo/backend/pages.ts',
    source: '`<!-- ${name}: (.*?) -->`',
    reason: 'Made of two fixed names. It reads the pages of the demo itself.',
  },
];
