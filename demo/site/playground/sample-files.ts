/** Creates sample files for visitors: painted pictures, sounds and texts. */

const MB = 1e6;

/** Sizes in MB by file name. Small and large files alternate. */
export const TWELVE_FILES: Readonly<Record<string, number>> = {
  'fjord.jpg': 1.2,
  'field-notes.txt': 0.1,
  'wind.wav': 8,
  'dune.jpg': 0.4,
  'delta.jpg': 2.4,
  'heath.jpg': 0.2,
  'readings.csv': 0.8,
  'atoll.jpg': 3.6,
  'moor.jpg': 0.3,
  'tide.wav': 5,
  'mesa.jpg': 0.6,
  'tundra.jpg': 1.8,
};

export const THREE_FILES: Readonly<Record<string, number>> = { 'fjord.jpg': 1.2, 'field-notes.txt': 0.1, 'dune.jpg': 0.4 };

const HUES: Readonly<Record<string, number>> = {
  fjord: 205,
  dune: 32,
  delta: 165,
  heath: 300,
  atoll: 186,
  moor: 95,
  mesa: 14,
  tundra: 235,
};

/** Paints hills and a sun. */
async function paintPicture(hue: number): Promise<Blob> {
  const [width, height] = [960, 720];
  const canvas = Object.assign(document.createElement('canvas'), { width, height });
  const context = canvas.getContext('2d')!;
  const sky = context.createLinearGradient(0, 0, 0, height);
  sky.addColorStop(0, `hsl(${hue} 45% 78%)`);
  sky.addColorStop(1, `hsl(${(hue + 330) % 360} 60% 92%)`);
  context.fillStyle = sky;
  context.fillRect(0, 0, width, height);
  context.fillStyle = `hsl(${(hue + 330) % 360} 80% 96%)`;
  context.beginPath();
  context.arc(width * (0.25 + (hue % 50) / 100), height * 0.34, 70, 0, 2 * Math.PI);
  context.fill();
  for (let layer = 0; layer < 4; layer++) {
    context.fillStyle = `hsl(${hue} ${38 + layer * 4}% ${62 - layer * 14}%)`;
    context.beginPath();
    context.moveTo(0, height);
    for (let x = 0; x <= width; x += 8) {
      const wave = Math.sin(x / (150 - layer * 18) + hue + layer * 2) + Math.sin(x / 61 + hue * layer) / 3;
      context.lineTo(x, height * (0.46 + layer * 0.13) - wave * (44 - layer * 6));
    }
    context.lineTo(width, height);
    context.fill();
  }
  return new Promise((resolve) => canvas.toBlob((blob) => resolve(blob!), 'image/jpeg', 0.86));
}

/** Writes a low tone as WAV: one channel of 16 bits at 22,050 Hz. */
function createTone(size: number): Blob {
  const view = new DataView(new ArrayBuffer(size));
  const writeText = (offset: number, text: string) =>
    [...text].forEach((character, index) => view.setUint8(offset + index, character.charCodeAt(0)));
  writeText(0, 'RIFF');
  view.setUint32(4, size - 8, true);
  writeText(8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, 22_050, true);
  view.setUint32(28, 44_100, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  writeText(36, 'data');
  view.setUint32(40, size - 44, true);
  const samples = new Int16Array(view.buffer, 44);
  for (let at = 0; at < samples.length; at++) samples[at] = 2000 * Math.sin(at / 32) * Math.sin(at / 90_000);
  return new Blob([view]);
}

const LINES: Readonly<Record<string, (line: number) => string>> = {
  csv: (line) => `${line},${(Math.sin(line / 9) * 12 + 8).toFixed(2)}\n`,
  txt: (line) => `${line}. Wind from the west, light; the water clear to the third stone.\n`,
};

function repeatLines(line: (index: number) => string, size: number): string {
  let text = '';
  for (let index = 1; text.length < size; index++) text += line(index);
  return text.slice(0, size);
}

async function createFile(name: string, size: number, lastModified: number): Promise<File> {
  const [stem, extension] = name.split('.') as [string, string];
  const type = { jpg: 'image/jpeg', wav: 'audio/wav', csv: 'text/csv', txt: 'text/plain' }[extension]!;
  if (extension === 'wav') return new File([createTone(size)], name, { type, lastModified });
  if (extension !== 'jpg') return new File([repeatLines(LINES[extension]!, size)], name, { type, lastModified });
  const picture = await paintPicture(HUES[stem]!);
  // Viewers ignore bytes after the end of a JPEG.
  return new File([picture, new Uint8Array(Math.max(0, size - picture.size))], name, { type, lastModified });
}

/** Creates files of exactly these sizes. Their date is the current time, so that they differ from earlier ones. */
export const createSampleFiles = (sizes: Readonly<Record<string, number>>): Promise<File[]> =>
  Promise.all(Object.entries(sizes).map(([name, size]) => createFile(name, Math.round(size * MB), Date.now())));
