/// <reference lib="webworker" />
import { packFiles } from '@pinfold/client/zip';
import type { PackAnswer, PackRequest } from './pack.ts';
import type { FolderFile } from './source.ts';

declare const self: DedicatedWorkerGlobalScope;

self.addEventListener('message', (event: MessageEvent<PackRequest>) => {
  void pack(event.data.files).then((answer) => self.postMessage(answer satisfies PackAnswer));
});

async function pack(files: readonly FolderFile[]): Promise<PackAnswer> {
  let path = '';
  let read = 0;
  try {
    const { bytes, leftOut } = await packFiles(
      files.map((found) => ({
        path: found.path,
        bytes: async () => {
          path = found.path;
          const content = new Uint8Array(await found.file.arrayBuffer());
          read += content.length;
          self.postMessage({ kind: 'progress', bytes: read } satisfies PackAnswer);
          return content;
        },
      })),
    );
    return { kind: 'packed', archive: new Blob([bytes], { type: 'application/zip' }), leftOut };
  } catch (error) {
    if (error instanceof DOMException) return { kind: 'unreadable', path };
    throw error;
  }
}
