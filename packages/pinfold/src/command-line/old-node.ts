/** The oldest supported Node; the same as `engines` in package.json. */
const OLDEST = { major: 22, minor: 18 } as const;

/** The error text for a Node that is too old, such as Debian's; `undefined` for a supported one. */
export function unsupportedNodeMessage(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > OLDEST.major || (major === OLDEST.major && minor >= OLDEST.minor)) return undefined;
  return `pinfold: this is Node ${version}, but Pinfold needs ${OLDEST.major}.${OLDEST.minor} or later`;
}
