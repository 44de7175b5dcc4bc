import { encodePng, encodeTone } from './sample-media.js';

/** A file that the storage contains at the first start, so that the console has something to show. */
interface SampleFile {
  path: string;
  type: string;
  body: string | Buffer<ArrayBuffer>;
}

const WELCOME = `# Welcome

These files are samples. Open, share, move or delete them. \`npm start\` adds them only to an empty storage.

- Drop files anywhere on the page to upload them.
- Press ? for all keys.
`;

const MONTHS = ['January', 'February', 'March'];

const salesOf = (month: number): string =>
  [
    'day,visitors,uploads',
    ...Array.from({ length: 28 }, (_, day) => `${day + 1},${120 + day * month},${14 + ((day * 7) % 11)}`),
  ].join('\n');

/** A page that shows one line of text. */
const PDF = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 420 297]/Contents 4 0 R/Resources<</Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>endobj
4 0 obj<</Length 52>>stream
BT /F 28 Tf 60 150 Td (An agreement to look at) Tj ET
endstream
endobj
trailer<</Root 1 0 R>>
%%EOF
`;

function sampleFiles(): SampleFile[] {
  return [
    { path: 'Welcome.md', type: 'text/markdown', body: WELCOME },
    { path: 'Documents/Agreement.pdf', type: 'application/pdf', body: PDF },
    {
      path: 'Documents/Settings.json',
      type: 'application/json',
      body: JSON.stringify({ theme: 'dark', language: 'en' }, undefined, 2),
    },
    ...MONTHS.map((name, index) => ({ path: `Reports/2026/${name}.csv`, type: 'text/csv', body: salesOf(index + 1) })),
    { path: 'Photos/Sunrise.png', type: 'image/png', body: encodePng(960, 640, [255, 176, 92], [92, 64, 156]) },
    { path: 'Photos/Dunes.png', type: 'image/png', body: encodePng(960, 640, [244, 214, 160], [176, 104, 60]) },
    { path: 'Photos/Forest.png', type: 'image/png', body: encodePng(640, 960, [186, 222, 170], [24, 74, 52]) },
    { path: 'Photos/Lake.png', type: 'image/png', body: encodePng(1200, 600, [190, 226, 250], [28, 92, 140]) },
    { path: 'Sounds/Tone.wav', type: 'audio/wav', body: encodeTone(440, 2) },
  ];
}

/** Stores the sample files, unless the storage has files. @throws Error if the service refuses one */
export async function addSampleFiles({ url, apiKey }: { url: string; apiKey: string }): Promise<void> {
  const headers = { Authorization: `Bearer ${apiKey}` };
  const stats = (await (await fetch(`${url}/v1/stats`, { headers })).json()) as { response?: { files: number } };
  if (stats.response?.files !== 0) return;
  for (const { path, type, body } of sampleFiles()) {
    const response = await fetch(`${url}/v1/files/${encodeURI(path)}`, {
      method: 'PUT',
      headers: { ...headers, 'Content-Type': type },
      body,
    });
    if (!response.ok) throw new Error(`The sample ${path} was refused: ${response.status} ${await response.text()}`);
  }
}
