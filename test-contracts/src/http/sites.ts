import { writeZip } from '../fixtures/zips/zip-writer.ts';

/** Packs files into a ZIP; names of folders end in a slash. The same files result in the same bytes. */
export function zipOf(files: Readonly<Record<string, string | Uint8Array>>): Buffer {
  const entries = Object.entries(files).map(([name, content]) => ({ name, content }));
  return Buffer.from(writeZip({ entries }).buffer);
}

export function siteZip(text = 'hello'): Buffer {
  return zipOf({ 'index.html': `<!doctype html><title>t</title><p>${text}</p>` });
}

/** A site whose ZIP is exactly this many bytes long. */
export function siteZipOf(bytes: number): Buffer {
  const pad = (length: number): Buffer => {
    const data = { name: 'data.bin', content: Buffer.alloc(length, 7), method: 0 };
    return Buffer.from(writeZip({ entries: [{ name: 'index.html', content: '<p>large</p>' }, data] }).buffer);
  };
  return pad(bytes - pad(0).byteLength);
}
