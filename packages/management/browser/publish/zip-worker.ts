/// <reference lib="webworker" />
import { Zip, ZipDeflate, ZipPassThrough } from 'fflate';
import type { PackAnswer, PackRequest } from './pack-messages.ts';
import type { FolderFile } from './source.ts';

declare const self: DedicatedWorkerGlobalScope;

/** Packing these again makes them no smaller. */
const PACKED = /\.(?:7z|avif|br|gif|gz|jpe?g|m4a|mp[34]|og[ag]|pdf|png|webm|webp|woff2?|zip)$/i;
/** One date for all, so that the same folder packed again is the same archive, byte by byte. */
const DATE = '1980-01-01T12:00:00';
const LEVEL = 6;

self.addEventListener('message', (event: MessageEvent<PackRequest>) => {
  void pack(event.data.files).then((answer) => self.postMessage(answer satisfies PackAnswer));
});

async function pack(files: readonly FolderFile[]): Promise<PackAnswer> {
  const parts: BlobPart[] = [];
  const zip = new Zip((error, chunk) => {
    if (error !== null) throw error;
    parts.push(chunk as Uint8Array<ArrayBuffer>);
  });
  let bytes = 0;
  for (const { path, file } of files) {
    const entry = PACKED.test(path) ? new ZipPassThrough(path) : new ZipDeflate(path, { level: LEVEL });
    entry.mtime = DATE;
    zip.add(entry);
    try {
      for await (const chunk of chunksOf(file)) {
        entry.push(chunk);
        bytes += chunk.length;
        self.postMessage({ kind: 'progress', bytes } satisfies PackAnswer);
      }
    } catch (error) {
      if (error instanceof DOMException) return { kind: 'unreadable', path };
      throw error;
    }
    entry.push(new Uint8Array(), true);
  }
  zip.end();
  return { kind: 'packed', archive: new Blob(parts, { type: 'application/zip' }) };
}

async function* chunksOf(file: File): AsyncGenerator<Uint8Array> {
  const reader = file.stream().getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}
