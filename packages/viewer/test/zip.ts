import { writeZip } from '@pinfold/test-contracts/internal';

/** A file of a test's site: its bytes, deflated unless it says otherwise. */
export type SiteContent = string | Uint8Array | { readonly stored: string | Uint8Array };

/** Packs a site. */
export function zip(files: Readonly<Record<string, SiteContent>>): Uint8Array<ArrayBuffer> {
  const entries = Object.entries(files).map(([name, content]) =>
    typeof content === 'object' && 'stored' in content
      ? { name, content: content.stored, method: 0 }
      : { name, content },
  );
  return writeZip({ entries });
}
