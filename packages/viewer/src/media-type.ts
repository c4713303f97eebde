import mime from 'mime';

const TEXT = /^text\/|^application\/(?:json|xml|javascript)$|\+(?:json|xml)$/;

/**
 * The media type of a file by its name, with a charset for text that is proved to be UTF-8. Other text names its own
 * encoding, or has none.
 */
export function mediaTypeOf(path: string, utf8: boolean): string {
  // With a folder before it, a name without a dot is not taken for an extension.
  const type = mime.getType(`/${path}`) ?? 'application/octet-stream';
  return utf8 && TEXT.test(type) ? `${type}; charset=utf-8` : type;
}
