import type { FolderFile } from './source.ts';

export interface PackRequest {
  readonly files: readonly FolderFile[];
}

/** What it answers, one after the other. */
export type PackAnswer =
  | { readonly kind: 'progress'; readonly bytes: number }
  | { readonly kind: 'packed'; readonly archive: Blob; readonly leftOut: readonly string[] }
  | { readonly kind: 'unreadable'; readonly path: string };
