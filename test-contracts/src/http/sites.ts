import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';

const mtime = new Date(Date.UTC(2026, 10, 20));

/** Packs files into a ZIP as tools do; folders end in a slash. The same files give the same bytes. */
export async function zipOf(files: Readonly<Record<string, string | Uint8Array>>): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [path, content] of Object.entries(files)) {
    if (path.endsWith('/')) zip.addEmptyDirectory(path, { mtime });
    else zip.addBuffer(Buffer.from(content), path, { mtime });
  }
  zip.end();
  return buffer(zip.outputStream);
}

export function siteZip(text = 'hello'): Promise<Buffer> {
  return zipOf({ 'index.html': `<!doctype html><title>t</title><p>${text}</p>` });
}

/** A site whose ZIP has exactly this many bytes. */
export async function siteZipOf(bytes: number): Promise<Buffer> {
  const pad = async (length: number) => {
    const zip = new ZipFile();
    zip.addBuffer(Buffer.from('<p>large</p>'), 'index.html', { mtime });
    zip.addBuffer(Buffer.alloc(length, 7), 'data.bin', { compress: false, mtime });
    zip.end();
    return buffer(zip.outputStream);
  };
  const empty = await pad(0);
  return pad(bytes - empty.byteLength);
}
