/** Words in the names of tests that are about what the endpoint does not offer, or (post_object) about Signature V2. */
export const OUT_OF_SCOPE = [
  ...[
    'acl',
    'anon',
    'version',
    'lifecycle',
    'policy',
    'logging',
    'encrypt',
    'sse',
    'lock',
    'website',
    'post_object',
    'ownership',
    'public',
  ],
  ...['cloud', 'restore', 'access_bucket', 'grant', 'sns', 'topic', 'append', 'torrent'],
];

/** Tests that fail, and why. */
export const DIFFERENT: Readonly<Record<string, string>> = {};
