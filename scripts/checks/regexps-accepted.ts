/** A regular expression that may take super-linear time, because it reads no text from outside, or only short text. */
export interface AcceptedRegExp {
  file: string;
  /** The pattern, or the code that makes it. */
  source: string;
  reason: string;
}

const OWN_NAME = 'The pattern contains one literal name. Each attempt ends at the next quote of a message of bounded length.';

export const ACCEPTED: AcceptedRegExp[] = [
  {
    file: 'src/bulk/list/glob.ts',
    source: '`^[${set}]$`',
    reason: 'The pattern is one set of characters and reads one character.',
  },
  {
    file: 'server/cli/completion/location-candidates.ts',
    source: '` --${flag}[= ]["\']?([^\\\\s"\']+)`',
    reason: 'The pattern contains the names of four flags. It reads a line that a person types.',
  },
  { file: 'server/cli/bulk/failures-text.ts', source: '`^${path}${segment}: `', reason: OWN_NAME },
  { file: 'server/cli/bulk/failures-text.ts', source: '`^${path}${segment}(?= )`', reason: OWN_NAME },
  { file: 'server/cli/bulk/failures-text.ts', source: "`'${path}${segment}'`", reason: OWN_NAME },
  { file: 'server/cli/bulk/format.ts', source: '\\B(?=(?:\\d{3})+$)', reason: 'The text is a number of at most 25 characters.' },
  {
    file: 'server/cli/bulk/journals.ts',
    source: '`^[0-9a-f]{${JOURNAL_NAME_LENGTH}}(?:/|$)`',
    reason: 'The pattern has a fixed length, is anchored and repeats nothing else.',
  },
  {
    file: 'demo/backend/pages.ts',
    source: '`<!-- ${name}: (.*?) -->`',
    reason: 'The pattern contains one of two fixed names. It reads pages of the demo.',
  },
];
