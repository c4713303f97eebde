import type { SecretKind } from './warnings.ts';

/** Private keys, and stores of them, by the names that programs give them. */
const KEY = /(?:^|\/)id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?$|\.(?:p12|pfx|ppk|jks|keystore|kdbx)$/i;
const SECRET =
  /(?:^|\/)\.(?:(?:env\.[^/]+|netrc|npmrc|git-credentials|htpasswd|pgpass|docker\/config\.json)$|(?:aws|ssh)\/)/i;

/** Whether a file of this path holds secrets by custom. A `.pem` is not among them: its content decides. */
export function isSecretPath(path: string): boolean {
  const isHidden = path.startsWith('.') || path.includes('/.');
  return KEY.test(path) || (isHidden && SECRET.test(path));
}

const LABEL = `(?:[A-Z0-9-]{1,16} ){0,4}`;
/** RFC 7468 and OpenPGP have five hyphens, RFC 4716 has four and a space. */
const KEY_HEAD = `-{4,5} ?BEGIN ${LABEL}PRIVATE KEY(?: BLOCK)? ?-{4,5}`;
/** At the beginning of a line, of a text in JSON or YAML, or of a setting. A mention in the middle of a sentence is no key. */
const KEY_AT_LINE = new RegExp(String.raw`(?:^|[\n\r"'=])[\t ]{0,64}${KEY_HEAD}`);
const PEM_FIRST = /^\s{0,1024}-{4,5} ?BEGIN /;
const PUTTY_FIRST = /^\s{0,1024}PuTTY-User-Key-File-\d/;
/** The byte order marks of UTF-8 and UTF-16, read as Latin-1. */
const MARK = /^(?:ï»¿|ÿþ|þÿ)/;
/** UTF-16, as Windows PowerShell 5 writes what a program prints, read as Latin-1: ASCII with zero bytes between. */
const WIDE = /^(?:ÿþ|þÿ)?.?\0/s;
const PUBLIC_PEM = new RegExp(`^ ${LABEL}(?:CERTIFICATE|PUBLIC KEY(?: BLOCK)?)-----`);
/** What sites consist of. Such a file may explain keys, and show one. */
const DOCUMENT = /\.(?:html?|xhtml|mdx?|markdown|rst|adoc|txt|css|[cm]?[jt]sx?|svg|xml|map)$/i;

/** So many characters of a file decide whether it is a private key; of a `.pem`, all do. */
const HEAD_CHARACTERS = 16_384;
const PEM_NAME = /\.pem$/i;

/**
 * Whether a file is a secret by its content, whatever its name: a private key (PEM in any of its kinds, OpenSSH, OpenPGP
 * or PuTTY, also with text before it), or a `.pem` that holds more than certificates and public keys. A page, a script or
 * a text that shows a key among other things is none; one that is a key mostly is one.
 *
 * @param read its first characters, decoded, or read as Latin-1 where the encoding is unknown.
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

/** Every private key has one of these, in ASCII or with a zero byte beside each character. */
const KEY_WORDS = ['PRIVATE KEY', 'PuTTY-User-Key-File'].map((word) =>
  [...word].map((one) => one.charCodeAt(0)),
);
const FIRST_OF_WORD = 0x50;
const SECOND_OF_WORD: readonly unknown[] = KEY_WORDS.map(([, second]) => second);

/** Whether a file that is no `.pem` may be a secret, by its bytes: to decode those of every file takes longest. */
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

/** Characters of the blocks of PEM that stand in lines of their own. */
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
