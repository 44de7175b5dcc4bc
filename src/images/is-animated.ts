/** Returns whether a PNG or WebP is animated: it then has a marker near its beginning. */
export async function isAnimated(file: Blob): Promise<boolean> {
  const head = await file.slice(0, 4096).arrayBuffer();
  const text = new TextDecoder('latin1').decode(head);
  return file.type === 'image/png' ? text.includes('acTL') : file.type === 'image/webp' && text.includes('ANIM');
}
