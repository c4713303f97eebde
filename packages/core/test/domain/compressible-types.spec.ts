import { expect } from 'chai';
import { isCompressibleType } from '../../src/domain/site.ts';

describe('the media types that are sent as gzip', () => {
  it('are those of text, WebAssembly, and TrueType and OpenType fonts', () => {
    const types =
      'text/html text/css text/javascript text/vtt application/json application/json5 application/ld+json ' +
      'application/manifest+json application/geo+json application/xml application/xml-dtd application/rss+xml ' +
      'application/xhtml+xml application/javascript application/node application/wasm image/svg+xml ' +
      'model/gltf+json font/ttf font/otf font/collection';
    for (const type of types.split(' ')) expect(isCompressibleType(type), type).to.equal(true);
  });

  it('do not include other types', () => {
    const types =
      'application/gzip application/x-compressed-tar application/zip application/octet-stream application/pdf ' +
      'image/png image/bmp font/woff font/woff2 video/mp4 audio/wav model/gltf-binary application/vnd.sqlite3 ' +
      'application/vnd.apache.parquet application/xml-external-parsed application/jsonx image/textual';
    for (const type of types.split(' ')) expect(isCompressibleType(type), type).to.equal(false);
  });
});
