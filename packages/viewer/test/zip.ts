import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';

/** A file of a test's site: its bytes, deflated unless it says otherwise. */
export type SiteContent = string | Uint8Array | { readonly stored: string | Uint8Array };

/** Packs a site as tools do. */
export async function zip(files: Readonly<Record<string, SiteContent>>): Promise<Buffer> {
  const archive = new ZipFile();
  for (const [path, content] of Object.entries(files)) {
    const stored = typeof content === 'object' && 'stored' in content;
    archive.addBuffer(Buffer.from(stored ? content.stored : content), path, { compress: !stored });
  }
  archive.end();
  return Buffer.from(await buffer(archive.outputStream));
}
