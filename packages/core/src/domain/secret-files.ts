import type { SecretKind } from './warnings.ts';

/** The usual names of private keys and of key stores. */
const KEY = /(?:^|\/)id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?$|\.(?:p12|pfx|ppk|jks|keystore|kdbx)$/i;
const SECRET =
  /(?:^|\/)\.(?:(?:env\.[^/]+|netrc|npmrc|git-credentials|htpasswd|pgpass|docker\/config\.json)$|(?:aws|ssh)\/)/i;

/** Whether files of this name usually hold secrets. Not for `.pem`, which {@link secretOfFile} judges by its content. */
export function isSecretPath(path: string): boolean {
  const isHidden = path.startsWith('.') || path.includes('/.');
  return KEY.test(path) || (isHidden && SECRET.test(path));
}

const LABEL = `(?:[A-Z0-9-]{1,16} ){0,4}`;
/** RFC 7468 and OpenPGP write five hyphens, RFC 4716 four and a space. */
const KEY_HEAD = `-{4,5} ?BEGIN ${LABEL}PRIVATE KEY(?: BLOCK)? ?-{4,5}`;
/** A key begins a line, a text in JSON or YAML, or a setting. A mention in the middle of a sentence is not a key. */
const KEY_AT_LINE = new RegExp(String.raw`(?:^|[\n\r"'=])[\t ]{0,64}${KEY_HEAD}`);
const PEM_FIRST = /^\s{0,1024}-{4,5} ?BEGIN /;
const PUTTY_FIRST = /^\s{0,1024}PuTTY-User-Key-File-\d/;
/** The byte order marks of UTF-8 and UTF-16, read as Latin-1. */
const MARK = /^(?:ï»¿|ÿþ|þÿ)/;
/** UTF-16 read as Latin-1: ASCII with zero bytes between. Windows PowerShell 5 redirects output so. */
const WIDE = /^(?:ÿþ|þÿ)?.?\0/s;
const PUBLIC_PEM = new RegExp(`^ ${LABEL}(?:CERTIFICATE|PUBLIC KEY(?: BLOCK)?)-----`);
/** The types of files that sites consist of. Such a file may explain keys and show one. */
const DOCUMENT = /\.(?:html?|xhtml|mdx?|markdown|rst|adoc|txt|css|[cm]?[jt]sx?|svg|xml|map)$/i;

/** The characters at the beginning of a file that are searched for a private key; a `.pem` is searched whole. */
const HEAD_CHARACTERS = 16_384;
const PEM_NAME = /\.pem$/i;

/**
 * Judges by its content whether a file is a secret: a private key (PEM in any of its kinds, OpenSSH, OpenPGP or PuTTY, also
 * with text before it), or a `.pem` that holds more than certificates and public keys. A page, a script or a text is a
 * secret only if a key is at least half of it.
 *
 * @param read returns the first characters, decoded, or as Latin-1 if the encoding is unknown.
 */
export function secretOfFile(
  path: string,
  read: (characters: number) => string,
): Extract<SecretKind, 'private_key' | 'secret_file'> | undefined {
  const isPem = PEM_NAME.test(path);
  const text = read(isPem ? Number.POSITIVE_INFINITY : HEAD_CHARACTERS);
  const content = (WIDE.test(text) ? text.replaceAll('\0', '') : text).replace(MARK, '');
  if (isKeyFile(path, content)) return 'private_key';
  return isPem && !isPublicPem(content) ? 'secret_file' : undefined;
}

/** Each private key has one of these, in ASCII or with a zero byte beside each character. */
const KEY_WORDS = ['PRIVATE KEY', 'PuTTY-User-Key-File'].map((word) =>
  [...word].map((one) => one.charCodeAt(0)),
);
const FIRST_OF_WORD = 0x50;
const SECOND_OF_WORD: readonly unknown[] = KEY_WORDS.map(([, second]) => second);

/** Whether {@link secretOfFile} can find a secret in these bytes: decoding every file would take too long. */
export function mayBeKeyFile(path: string, bytes: Uint8Array): boolean {
  if (PEM_NAME.test(path)) return true;
  const head = bytes.subarray(0, HEAD_CHARACTERS);
  for (let at = head.indexOf(FIRST_OF_WORD); at !== -1; at = head.indexOf(FIRST_OF_WORD, at + 1)) {
    const step = head[at + 1] === 0 ? 2 : 1;
    if (!SECOND_OF_WORD.includes(head[at + step])) continue;
    if (KEY_WORDS.some((word) => word.every((code, index) => head[at + index * step] === code))) return true;
  }
  return false;
}

function isKeyFile(path: string, text: string): boolean {
  if (!text.includes('PRIVATE KEY')) return PUTTY_FIRST.test(text);
  if (!KEY_AT_LINE.test(text)) return false;
  return !DOCUMENT.test(path) || PEM_FIRST.test(text) || pemLength(text) * 2 >= text.length;
}

function isPublicPem(text: string): boolean {
  const [, ...blocks] = text.split('-----BEGIN');
  return blocks.length > 0 && blocks.every((block) => PUBLIC_PEM.test(block));
}

/** Counts the characters of PEM blocks that stand on lines of their own. */
function pemLength(text: string): number {
  let length = 0;
  for (let from = text.indexOf('-----BEGIN '); from !== -1; ) {
    const end = text.indexOf('\n-----END ', from);
    if (end === -1) break;
    if (from === 0 || text[from - 1] === '\n') length += end - from;
    from = text.indexOf('-----BEGIN ', end);
  }
  return length;
}
