import { filesTexts } from './texts/texts.js';

/** Returns the code that puts the element into a site of the person, for a folder. */
export function snippets(prefix: string): { title: string; code: string }[] {
  const place = prefix === '' ? 'anywhere: true' : `prefix: ${JSON.stringify(prefix.slice(0, -1))}`;
  return [
    {
      title: 'HTML',
      code: `<script type="module" src="/svc-uploader.js"></script>
<svc-uploader multiple token-endpoint="/upload-token"></svc-uploader>`,
    },
    {
      title: 'React',
      code: `import { SvcUploader } from 'svc-uploader/react';

export const Upload = () => <SvcUploader multiple tokenEndpoint="/upload-token" />;`,
    },
    {
      title: filesTexts.request.backend,
      code: `import { createTokenMinter, createTokenRoute } from 'svc-uploader/server';

// The API key stays on the server.
const minter = createTokenMinter({ apiKey: process.env.SVC_API_KEY, url: ${JSON.stringify(location.origin)} });

// Return null to refuse a visitor.
export const POST = createTokenRoute(minter, { authorize: async () => ({ ${place} }) });`,
    },
  ];
}
