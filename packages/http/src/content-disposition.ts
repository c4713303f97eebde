/** What older clients read in place of a file name that is not plain, and characters that would end the name for some. */
const NOT_PLAIN = /[^\x20-\x7e]|["%\\]/gu;

/** Characters that `encodeURIComponent` leaves, and RFC 8187 does not. */
const NOT_ENCODED = /['()*]/g;

/** The header that has a client store the body under a file name (RFC 6266, with `filename*` of RFC 8187). */
export function attachment(filename: string): string {
  const encoded = encodeURIComponent(filename.toWellFormed()).replace(
    NOT_ENCODED,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${filename.replace(NOT_PLAIN, '_')}"; filename*=UTF-8''${encoded}`;
}
