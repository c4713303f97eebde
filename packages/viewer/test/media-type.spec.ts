import { expect } from 'chai';
import { mediaTypeOf } from '../src/sending/file-answer.ts';

describe('a media type', () => {
  it('of text in UTF-8 has a charset', () => {
    const types = {
      'index.html': 'text/html',
      'a/b.css': 'text/css',
      'app.js': 'text/javascript',
      'app.mjs': 'text/javascript',
      'data.json': 'application/json',
      'app.js.map': 'application/json',
      'site.webmanifest': 'application/manifest+json',
      'logo.svg': 'image/svg+xml',
      'feed.xml': 'application/xml',
      'notes.txt': 'text/plain',
    };
    for (const [path, type] of Object.entries(types)) {
      expect(mediaTypeOf(path, true), path).to.equal(`${type}; charset=utf-8`);
      expect(mediaTypeOf(path, false), path).to.equal(type);
    }
  });

  it('of other files has no charset', () => {
    const types = {
      'a.wasm': 'application/wasm',
      'a.woff2': 'font/woff2',
      'a.png': 'image/png',
      'A.PNG': 'image/png',
      'a.avif': 'image/avif',
      'a.webp': 'image/webp',
      'a.pdf': 'application/pdf',
      'a.mp4': 'video/mp4',
      'a.unknown-to-all': 'application/octet-stream',
      LICENSE: 'application/octet-stream',
      html: 'application/octet-stream',
      'png/a': 'application/octet-stream',
    };
    for (const [path, type] of Object.entries(types)) expect(mediaTypeOf(path, true), path).to.equal(type);
  });
});
