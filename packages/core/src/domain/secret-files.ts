/** Private keys, and stores of them, by the names that programs give them. */
const KEY = /(?:^|\/)id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?$|\.(?:p12|pfx|ppk|jks|keystore|kdbx)$/i;
const SECRET =
  /(?:^|\/)\.(?:(?:env\.[^/]+|netrc|npmrc|git-credentials|htpasswd|pgpass|docker\/config\.json)$|(?:aws|ssh)\/)/i;

/** Whether a file of this path holds secrets by custom. A `.pem` is not among them: its content decides. */
export function isSecretPath(path: string): boolean {
  return KEY.test(path) || SECRET.test(path);
}
