import { raceSignal } from '@pinfold/core/adapter';
import type { FolderFile } from './source.ts';

export interface PackRequest {
  readonly files: readonly FolderFile[];
}

export type PackAnswer =
  | { readonly kind: 'progress'; readonly bytes: number }
  | { readonly kind: 'packed'; readonly archive: Blob; readonly leftOut: readonly string[] }
  | { readonly kind: 'unreadable'; readonly path: string };

export function pack(
  worker: string,
  files: readonly FolderFile[],
  onProgress: (bytes: number) => void,
  signal: AbortSignal,
): Promise<Exclude<PackAnswer, { kind: 'progress' }>> {
  signal.throwIfAborted();
  const packing = new Worker(worker, { type: 'module' });
  const packed = new Promise<Exclude<PackAnswer, { kind: 'progress' }>>((resolve, reject) => {
    packing.addEventListener('error', (event) => reject(event.error ?? new Error(event.message)));
    packing.addEventListener('message', ({ data }: MessageEvent<PackAnswer>) => {
      if (data.kind === 'progress') onProgress(data.bytes);
      else resolve(data);
    });
    packing.postMessage({ files } satisfies PackRequest);
  });
  return raceSignal(packed, signal).finally(() => packing.terminate());
}
