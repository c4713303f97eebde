/** The oldest Node that this release runs on; `engines` of package.json says the same. */
const OLDEST = { major: 22, minor: 18 } as const;

/** The error text for a Node that is older than this release needs, such as Debian's. */
export function unsupportedNodeMessage(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > OLDEST.major || (major === OLDEST.major && minor >= OLDEST.minor)) return undefined;
  return `pinfold: this is Node ${version}; it takes ${OLDEST.major}.${OLDEST.minor} or later`;
}
