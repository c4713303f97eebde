/**
 * Media types of text, which are sent as gzip to clients that accept it. Other files are sent as they are: browsers save
 * some downloads in their coded form, and readers of parts ask for a file's own length first.
 */
const CODED = new RegExp(
  [
    '^text/',
    '^application/(?:json5?|javascript|ecmascript|node|xml(?:-dtd)?|wasm)$',
    '^font/(?:ttf|otf|collection)$',
    '[+](?:json|xml)$',
  ].join('|'),
);

/** Whether files of a media type are sent as gzip, where the archive has them deflated. */
export function isCodedType(mediaType: string): boolean {
  return CODED.test(mediaType);
}
