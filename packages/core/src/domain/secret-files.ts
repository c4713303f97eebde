/** Names of files that hold secrets by custom. */
const SECRET_FILE =
  /(?:^|\/)(?:\.env\.[^/]+|\.netrc|\.npmrc|\.git-credentials|\.htpasswd|\.pgpass|\.(?:aws|ssh)\/.+|\.docker\/config\.json|id_rsa|[^/]*\.(?:pem|p12))$/i;

/** Whether files of this name hold secrets by custom. */
export function isSecretFile(path: string): boolean {
  return SECRET_FILE.test(path);
}
